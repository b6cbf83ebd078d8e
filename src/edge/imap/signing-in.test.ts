/** Who may hold a connection before anybody has signed in, and until when one that did may stay. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setPassword } from '../../mailboxes/set-password.ts';
import { createAppPassword } from '../../mailboxes/sign-in/app-passwords.ts';
import { type OwnStage, startTestListener } from './listener.fixture.ts';
import { FAREWELLS } from './responses.ts';
import { ImapWire } from './wire.fixture.ts';

type Listener = Awaited<ReturnType<typeof startTestListener>>;
let listener: Listener;
before(async () => {
  listener = await startTestListener();
});
after(() => listener[Symbol.asyncDispose]());

async function signedIn(stage: OwnStage): Promise<ImapWire> {
  const wire = await ImapWire.connect(stage);
  await wire.signIn(stage);
  return wire;
}

describe('before signing in', () => {
  test('a connection gives way to another one, and never one whose owner is there', async () => {
    await using few = await startTestListener({ connections: 2, halfLifeMs: 0.05 });
    const stage = await few.stage();
    using owner = await signedIn(stage);
    owner.send('a IDLE\r\n');
    assert.equal(await owner.next(), '+ Idling');
    const place = { host: '127.0.0.1', port: few.port };
    using stranger = await ImapWire.connect(place);
    assert.match((await stranger.next()) ?? '', /^\* OK/);
    using other = await ImapWire.connect(place);
    assert.match((await other.next()) ?? '', /^\* OK/);
    assert.equal(await stranger.next(), FAREWELLS.givesWay);
    owner.send('DONE\r\n');
    assert.equal(await owner.next(), 'a OK Done');
  });

  test('a connection that nobody signs in on ends, whatever it says', async () => {
    await using hasty = await startTestListener({ signInMs: 20 });
    using wire = await ImapWire.connect({ host: '127.0.0.1', port: hasty.port });
    await wire.next();
    assert.equal(await wire.next(), FAREWELLS.signInLate);
    assert.equal(await wire.next(), null);
  });

  test('lines are short', async () => {
    const stage = await listener.stage();
    const line = `a ${'X'.repeat(20_000)}`;
    using stranger = await ImapWire.connect(stage);
    await stranger.next();
    assert.deepEqual(await stranger.command(line), [FAREWELLS.lineTooLong]);
    using owner = await signedIn(stage);
    assert.match((await owner.command(line)).at(-1) ?? '', /^a BAD/);
  });

  test('three attempts that are not heard end the connection', async () => {
    const stage = await listener.stage();
    const nobody = {
      signIn: async () => ({ outcome: 'try-later', afterSeconds: 7, reason: 'guesses' }) as const,
    };
    await using closed = await startTestListener({}, { signIn: nobody });
    using wire = await ImapWire.connect({ ...stage, port: closed.port });
    await wire.next();
    const login = 'a LOGIN anna@a.example secret';
    for (let n = 0; n < 2; n++)
      assert.match((await wire.command(login)).at(-1) ?? '', /^a NO \[UNAVAILABLE\] .* 7 seconds$/);
    assert.match((await wire.command(login)).at(-1) ?? '', /^a NO/);
    assert.equal(await wire.next(), FAREWELLS.tooManyFailures);
  });
});

test('a new password ends what the old one opened, and not what another one did', async () => {
  const stage = await listener.stage();
  const { mailbox, user } = stage;
  const { password } = await createAppPassword(listener.database, mailbox, { name: 'phone', access: 'read' });
  using app = await signedIn({ ...stage, password });
  using owner = await signedIn(stage);
  owner.send('a IDLE\r\n');
  assert.equal(await owner.next(), '+ Idling');
  await setPassword(listener.database, mailbox.projectId, user, 'another password');
  assert.equal(await owner.next(), FAREWELLS.signInEnded);
  assert.equal(await owner.next(), null);
  assert.match((await app.command('b NOOP')).at(-1) ?? '', /^b OK/);
});

test('an app password for reading opens folders for reading', async () => {
  const stage = await listener.stage();
  await stage.deliver('INBOX', Buffer.from('Subject: a\r\n\r\n'), []);
  const { password } = await createAppPassword(listener.database, stage.mailbox, {
    name: 'tv',
    access: 'read',
  });
  using app = await signedIn({ ...stage, password });
  assert.match((await app.command('a SELECT INBOX')).at(-1) ?? '', /^a OK \[READ-ONLY\]/);
  assert.match((await app.command('b STORE 1 +FLAGS (\\Deleted)')).at(-1) ?? '', /^b NO \[NOPERM\]/);
  assert.match((await app.command('c EXPUNGE')).at(-1) ?? '', /^c NO \[NOPERM\]/);
});
