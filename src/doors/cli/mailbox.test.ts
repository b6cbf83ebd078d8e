import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newShop, passwordHashOf } from '../../../test/support/projects.ts';
import { verifyPassword } from '../../accounts/passwords/verify-password.ts';

test('set-password prints a generated password, but not a password given as an option', async () => {
  await using db = await testDatabase();
  const projectId = await newShop(db.database, 'shop', { localPart: 'sales' });
  const hashOf = () => passwordHashOf(db.database, projectId);
  const setPassword = async (...args: string[]) => {
    const allArgs = ['--project', 'shop', '--address', 'sales@shop.example', '--json', ...args];
    const { stdout } = await posthorn(environmentOf(db), 'mailbox', 'set-password', ...allArgs);
    return JSON.parse(stdout) as { address: string; password?: string };
  };

  const { password = '', ...rest } = await setPassword();
  assert.deepEqual(rest, { address: 'sales@shop.example' });
  assert.ok(verifyPassword(password, await hashOf()));
  assert.deepEqual(await setPassword('--password', 'a given password'), rest);
  assert.ok(verifyPassword('a given password', await hashOf()));
});

test('app-password commands create an app password, list it without its secret, and revoke it', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const run = async (command: string[], ...args: string[]): Promise<unknown> => {
    const allArgs = ['--project', 'shop', '--address', 'SALES@shop.example', '--json', ...args];
    const { stdout } = await posthorn(environmentOf(db), 'mailbox', ...command, ...allArgs);
    return JSON.parse(stdout);
  };
  const created = await run(['app-password', 'create'], '--name', 'phone', '--access', 'read');
  const { id, password } = created as { id: string; password: string };
  assert.match(id, /^app_/);
  assert.match(password, /^(?:[0-9a-z]{4}-){6}[0-9a-z]{4}$/);
  assert.deepEqual(created, { id, name: 'phone', access: 'read', password });
  const { data } = (await run(['app-password', 'list'])) as { data: { created_at: string }[] };
  const [listed] = data;
  assert.deepEqual(data, [
    { id, name: 'phone', access: 'read', created_at: listed?.created_at, last_used_at: null },
  ]);
  assert.deepEqual(await run(['app-password', 'revoke'], '--id', id), { id, revoked: true });
  assert.deepEqual(await run(['app-password', 'list']), { data: [] });
  await assert.rejects(run(['app-password', 'revoke'], '--id', id));
  assert.deepEqual(await run(['unlock']), {
    address: 'SALES@shop.example',
    unlocked: true,
    was_locked_for_sending: false,
  });
});

test('mailbox set turns on and off the emptying of Junk and Trash, and the saving of sent mail', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const set = async (...args: string[]) => {
    const allArgs = ['--project', 'shop', '--json', ...args];
    const { stdout, stderr, code } = await posthorn(environmentOf(db), 'mailbox', 'set', ...allArgs);
    return code === 0 ? (JSON.parse(stdout) as object) : stderr;
  };
  const isEmptied = async () =>
    (await db.database.selectFrom('mailboxes').select('emptiesFolders').executeTakeFirst())?.emptiesFolders;
  const address = 'sales@shop.example';
  assert.deepEqual(await set('--address', address.toUpperCase(), '--empty-folders', 'off'), {
    address,
    empty_folders: 'off',
    save_sent: 'off',
  });
  assert.equal(await isEmptied(), false);
  await set('--address', address, '--empty-folders', 'on');
  assert.equal(await isEmptied(), true);
  assert.match(String(await set('--address', 'nobody@shop.example', '--empty-folders', 'off')), /no mailbox/);
  assert.match(String(await set('--address', address)), /--empty-folders or --save-sent/);
  assert.deepEqual(await set('--address', address, '--save-sent', 'on'), {
    address,
    empty_folders: 'on',
    save_sent: 'on',
  });
});

test('mailbox list shows that a mailbox is locked for sending, and unlock removes the lock', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const run = async (...args: string[]): Promise<unknown> =>
    JSON.parse((await posthorn(environmentOf(db), 'mailbox', ...args, '--project', 'shop', '--json')).stdout);
  const listed = async () => {
    const { data } = (await run('list')) as { data: Record<string, unknown>[] };
    return data.map(({ address, sending_locked_at, sending_locked_reason }) => [
      address,
      sending_locked_at,
      sending_locked_reason,
    ]);
  };
  assert.deepEqual(await listed(), [['sales@shop.example', null, null]]);
  await sql`
    insert into sending_locks (project_id, mailbox_id, locked_at, reason, counts_from)
    select project_id, id, '2026-11-23T01:02:03Z', 'refused', '-infinity' from mailboxes`.execute(
    db.database,
  );
  assert.deepEqual(await listed(), [['sales@shop.example', '2026-11-23T01:02:03.000Z', 'refused']]);
  const unlocked = await run('unlock', '--address', 'sales@shop.example');
  assert.deepEqual(unlocked, { address: 'sales@shop.example', unlocked: true, was_locked_for_sending: true });
  assert.deepEqual(await listed(), [['sales@shop.example', null, null]]);
});
