// Runs in its own process: commands read its environment and write to its output.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { newShop } from '../../../test/support/projects.ts';
import { findMailbox } from '../../mailboxes/find-mailbox.ts';
import { startTestListener } from '../imap/listener.fixture.ts';

const CERTIFICATE = fileURLToPath(new URL('../../../test/support/tls/cert.pem', import.meta.url));

suite('migrate-mail', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-migrate-'));
  let old: Awaited<ReturnType<typeof startTestListener>>;
  let projectId: string;
  before(async () => {
    old = await startTestListener();
    projectId = await newShop(old.database, 'shop', { localPart: 'sales' });
  });
  after(async () => {
    await old[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  function migrate(users: string, ...more: string[]) {
    const file = join(folder, 'users');
    writeFileSync(file, users);
    const env = { ...environmentOf(old.db), POSTHORN_DATA: join(folder, 'data') };
    const from = ['--from', `imaps://localhost:${old.securePort}`, '--ca', CERTIFICATE];
    return posthorn(env, 'migrate-mail', '--project', 'shop', ...from, '--users', file, ...more);
  }

  test('copies the mailboxes of a file, and reports mailboxes that cannot be copied', async () => {
    const [one, two] = [await old.stage(), await old.stage()];
    for (let n = 0; n < 30; n++) await one.deliver('INBOX', Buffer.from(`Subject: ${n}\r\n\r\n${n}\r\n`), []);
    const users = `# address,user,password\n\nsales@shop.example,${one.user},${one.password}\r\nsales@shop.example,${two.user},a,b\n`;
    const { code, stdout, stderr } = await migrate(users, '--json', '--verify');
    assert.equal(code, 1);
    const { data } = JSON.parse(stdout) as { data: Record<string, unknown>[] };
    const [copied, refused] = data;
    assert.deepEqual(
      ['error', 'messages', 'imported', 'verified', 'differing'].map((name) => copied?.[name]),
      [null, 30, 30, 30, 0],
    );
    assert.match(String(refused?.['error']), /^The old server rejected the sign-in of /);
    assert.match(stderr, /^sales@shop\.example: The old server rejected the sign-in of /m);
    const log = await old.database
      .selectFrom('auditLog')
      .select(['action', 'target', 'after'])
      .where('projectId', '=', projectId)
      .execute();
    assert.deepEqual(log.at(-1), {
      action: 'mailbox.import',
      target: 'sales@shop.example',
      after: { messages: 30 },
    });

    const [inbox] = (await old.store.folders(one.mailbox)).filter(({ role }) => role === 'inbox');
    await old.store.expunge(
      { ...one.mailbox, folderId: inbox?.id ?? '' },
      { ranges: null, isDeletedOnly: false },
    );
    // The source is the same under another port, and with other letters.
    const other = ['--from', `imap://LOCALHOST:${old.port}`];
    const emptied = await migrate(users.split('\r\n')[0] ?? '', ...other);
    assert.equal(emptied.code, 3);
    assert.match(emptied.stdout, /^MESSAGES .*MAILBOX\n0 +0 .* sales@shop\.example\n$/s);
    const mailboxId = await findMailbox(old.database, projectId, 'sales@shop.example');
    assert.equal(
      (await old.store.folders({ projectId, mailboxId })).reduce((sum, { messages }) => sum + messages, 0),
      30,
    );
  });

  for (const [what, users, more, error] of [
    ['a line without a password', 'sales@shop.example,sales\n', [], /users: line 1 has no password/],
    ['a repeated line', 'sales@shop.example,,x\nsales@shop.example,,x\n', [], /users: line 2 repeats a line/],
    [
      'addresses that are not mailboxes',
      'a@shop.example,,x\nb@,,x\n',
      [],
      /not mailboxes of the project: a@shop\.example, b@\./,
    ],
    [
      'a master user without a password',
      '',
      ['--master', 'admin'],
      /Use --master and --master-password-file together/,
    ],
    [
      'a password in the address of the server',
      '',
      ['--from', 'imaps://a:b@old.example'],
      /It must be imaps:\/\/host/,
    ],
    ['another kind of server', '', ['--from', 'pop3://old.example'], /It must be imaps:\/\/host/],
    ['a file that does not exist', '', ['--ca', '/nonexistent'], /ca: the file cannot be read/],
  ] as const)
    test(`rejects ${what}`, async () => {
      const { code, stderr } = await migrate(users, ...more);
      assert.equal(code, 1);
      assert.match(stderr, error);
    });
});
