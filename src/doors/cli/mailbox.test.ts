import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newShop, passwordHashOf } from '../../../test/support/projects.ts';
import { verifyPassword } from '../../accounts/passwords/verify-password.ts';

const BCRYPT = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';

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

test('create and set-password accept the hash of another mail server from a file, and reject weak hashes', async () => {
  await using db = await testDatabase();
  const projectId = await newShop(db.database, 'shop', { localPart: 'sales' });
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-hash-'));
  const run = async (command: string, localPart: string, hash: string, ...args: string[]) => {
    const path = join(folder, 'hash');
    writeFileSync(path, hash);
    const address = `${localPart}@shop.example`;
    const allArgs = ['--project', 'shop', '--address', address, '--password-hash', path, '--json', ...args];
    return posthorn(environmentOf(db), 'mailbox', command, ...allArgs);
  };
  const hashes = async () =>
    db.database
      .selectFrom('mailboxes')
      .select(['localPart', 'passwordHash', 'displayName', 'quotaMb'])
      .where('projectId', '=', projectId)
      .orderBy('localPart')
      .execute();
  try {
    const created = await run('create', 'Ann', `${BCRYPT}\n`, '--display-name', 'Ann', '--quota-mb', '5');
    const { id, ...rest } = JSON.parse(created.stdout) as { id: string };
    assert.match(id, /^mbx_/);
    assert.deepEqual(rest, { address: 'Ann@shop.example' });
    const set = await run('set-password', 'sales', `{BLF-CRYPT}${BCRYPT}`);
    assert.deepEqual(JSON.parse(set.stdout), { address: 'sales@shop.example' });
    const stored = `{BLF-CRYPT}${BCRYPT}`;
    const expected = [
      { localPart: 'Ann', passwordHash: stored, displayName: 'Ann', quotaMb: 5 },
      { localPart: 'sales', passwordHash: stored, displayName: null },
    ];
    assert.partialDeepStrictEqual(await hashes(), expected);
    const { stdout } = await posthorn(environmentOf(db), 'mailbox', 'list', '--project', 'shop', '--json');
    const { data } = JSON.parse(stdout) as { data: { has_imported_password: boolean }[] };
    assert.deepEqual(
      data.map((mailbox) => mailbox.has_imported_password),
      [true, true],
    );

    assert.match((await run('create', 'ben', '$1$salt$hash')).stderr, /password_hash: is an MD5 hash/);
    assert.match(
      (await run('set-password', 'sales', BCRYPT.replace('$05$', '$31$'))).stderr,
      /takes too long/,
    );
    const both = await run('set-password', 'sales', BCRYPT, '--password', 'a given password');
    assert.match(both.stderr, /use either --password or --password-hash/);
    assert.match((await run('create', 'ben', BCRYPT, '--quota-mb', '0')).stderr, /quota_mb/);
    const elsewhere = ['create', '--project', 'shop', '--address', 'a@other.example'];
    const { stderr } = await posthorn(environmentOf(db), 'mailbox', ...elsewhere);
    assert.match(stderr, /other\.example is neither a domain of the project nor the hosted domain/);
    assert.partialDeepStrictEqual(await hashes(), expected);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('create generates a password if none is given', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const args = ['--project', 'shop', '--address', 'ann@shop.example', '--json'];
  const { stdout } = await posthorn(environmentOf(db), 'mailbox', 'create', ...args);
  const { password } = JSON.parse(stdout) as { password: string };
  assert.match(password, /^(?:[0-9a-z]{4}-){6}[0-9a-z]{4}$/);
  const row = await db.database
    .selectFrom('mailboxes')
    .select('passwordHash')
    .where('localPart', '=', 'ann')
    .executeTakeFirstOrThrow();
  assert.ok(verifyPassword(password, row.passwordHash));
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
