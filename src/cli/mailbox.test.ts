import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environmentOf, posthorn } from '../../test/support/cli.ts';
import { testDatabase } from '../../test/support/postgres.ts';
import { newShop, passwordHashOf } from '../../test/support/projects.ts';
import { verifyPassword } from '../mailboxes/password.ts';

test('the command prints the password that it made, and nothing of one that was given', async () => {
  await using db = await testDatabase();
  const projectId = await newShop(db.database, 'shop', { localPart: 'sales' });
  const hashOf = () => passwordHashOf(db.database, projectId);
  const setPassword = async (...args: string[]) => {
    const given = ['--project', 'shop', '--address', 'sales@shop.example', '--json', ...args];
    const { stdout } = await posthorn(environmentOf(db), 'mailbox', 'set-password', ...given);
    return JSON.parse(stdout) as { address: string; password?: string };
  };

  const { password = '', ...rest } = await setPassword();
  assert.deepEqual(rest, { address: 'sales@shop.example' });
  assert.ok(await verifyPassword(password, await hashOf()));
  assert.deepEqual(await setPassword('--password', 'a given password'), rest);
  assert.ok(await verifyPassword('a given password', await hashOf()));
});
