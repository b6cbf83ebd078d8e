import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { AppError } from '../model/app-error.ts';
import { startScriptedSource } from './scripted-source.fixture.ts';
import { SourceMailbox } from './source-mailbox.ts';

type Script = Partial<Awaited<ReturnType<typeof startScriptedSource>>['script']>;

/** Signs in to a scripted server. @returns what the client sent to sign in */
async function signIn(master: string | null, script: Script): Promise<string[]> {
  await using source = await startScriptedSource();
  Object.assign(source.script, script);
  const { host, port, signIns } = source;
  const server = { host, port, isSecure: false, allowsPlaintext: true, ca: null };
  await using _ = await SourceMailbox.open(server, { user: 'anna', password: 'secret', master }, 1_000);
  return signIns;
}

suite('signing in to the old server', () => {
  test('an administrator signs in with PLAIN, for the user', async () => {
    for (const capabilities of [' AUTH=PLAIN', ' AUTH=LOGIN AUTH=PLAIN'])
      assert.deepEqual(await signIn('admin', { capabilities }), ['anna\0admin\0secret']);
  });

  for (const [what, script] of [
    ['only LOGIN', { capabilities: '' }],
    ['only AUTH=LOGIN', { capabilities: ' AUTH=LOGIN' }],
    ['only another mechanism', { capabilities: ' AUTH=CRAM-MD5' }],
    [
      'only LOGIN, and refuses it',
      {
        intercept: (command, socket, tag) => command.startsWith('LOGIN') && socket.write(`${tag} NO no\r\n`),
      },
    ],
  ] as readonly [string, Script][])
    test(`an administrator does not open the own mailbox if the server offers ${what}`, async () => {
      await assert.rejects(signIn('admin', script), (error: unknown) => {
        assert.ok(error instanceof AppError);
        assert.match(error.message, /^The old server does not offer AUTH=PLAIN, so an administrator cannot/);
        return true;
      });
    });

  test('users sign in with what the server offers', async () => {
    assert.deepEqual(await signIn(null, { capabilities: ' AUTH=PLAIN' }), ['\0anna\0secret']);
    assert.match((await signIn(null, {})).join(), /^LOGIN "?anna"? "?secret"?$/);
  });

  for (const master of [null, 'admin'])
    test(`a server that signs in ${master ?? 'a user'} by itself is refused`, async () => {
      const script = { greeting: 'PREAUTH welcome', capabilities: ' AUTH=PLAIN' };
      await assert.rejects(signIn(master, script), (error: unknown) => {
        assert.ok(error instanceof AppError);
        assert.match(error.message, /PREAUTH/);
        return true;
      });
    });
});
