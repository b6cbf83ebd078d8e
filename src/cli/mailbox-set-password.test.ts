import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { testDatabase } from '../../test/support/postgres.ts';
import { createProject, ensureOrganization } from '../accounts/projects.ts';
import { encodeId, newUuid } from '../model/ids.ts';
import { Mailboxes } from '../mailboxes/mailboxes.ts';
import { verifyPassword } from '../mailboxes/password.ts';

const PROGRAM = fileURLToPath(new URL('main.ts', import.meta.url));

test('the command prints the password that it made, and nothing of one that was given', async () => {
  await using db = await testDatabase();
  const { database } = db;
  const projectId = await database
    .transaction()
    .execute(async (tx) => createProject(tx, await ensureOrganization(tx), 'shop', 'paid'));
  const id = newUuid();
  await database
    .insertInto('domains')
    .values({
      projectId,
      id,
      name: 'shop.example',
      status: 'pending',
      createdAt: new Date(),
      verifiedAt: null,
    })
    .execute();
  await new Mailboxes({ database, hostedDomain: 'hosted.example' }).create(projectId, {
    domain_id: encodeId('dom', id),
    local_part: 'sales',
    quota_mb: 1,
  });
  const hashOf = async () => {
    const row = await database.selectFrom('mailboxes').select('passwordHash').executeTakeFirstOrThrow();
    return row.passwordHash;
  };
  const setPassword = async (...args: string[]) => {
    const env = { ...process.env, POSTHORN_DATABASE_URL: db.url, POSTHORN_SECRET: 'secret of the tests' };
    const given = ['--project', 'shop', '--address', 'sales@shop.example', '--json', ...args];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [PROGRAM, 'mailbox', 'set-password', ...given],
      { env },
    );
    return JSON.parse(stdout) as { address: string; password?: string };
  };

  const { password = '', ...rest } = await setPassword();
  assert.deepEqual(rest, { address: 'sales@shop.example' });
  assert.ok(await verifyPassword(password, await hashOf()));
  assert.deepEqual(await setPassword('--password', 'a given password'), rest);
  assert.ok(await verifyPassword('a given password', await hashOf()));
});
