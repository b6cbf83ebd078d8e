import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testDatabase } from '../../test/support/postgres.ts';
import { newShop, passwordHashOf } from '../../test/support/projects.ts';
import { AppError } from '../model/app-error.ts';
import { verifyPassword } from '../accounts/passwords/verify-password.ts';
import { findMailbox } from './find-mailbox.ts';
import { setPassword } from './set-password.ts';

const db = await testDatabase();
const { database } = db;
after(() => db[Symbol.asyncDispose]());

const newProject = (name: string) =>
  newShop(database, name, { localPart: 'Sales', password: `password of ${name}` });
const hashOf = (projectId: string) => passwordHashOf(database, projectId);

const one = await newProject('one');
const two = await newProject('two');

test('a given password is set for the mailbox of this project, and not for a mailbox of the same address', async () => {
  const mailboxId = await findMailbox(database, one, 'SALES@Shop.Example');
  const result = await setPassword(database, { projectId: one, mailboxId }, 'a new password');
  assert.deepEqual(result, { address: 'Sales@shop.example', generated: null });
  assert.ok(verifyPassword('a new password', await hashOf(one)));
  assert.ok(verifyPassword('password of two', await hashOf(two)));
});

test('a password is generated and returned if no password is given', async () => {
  const mailboxId = await findMailbox(database, one, 'sales@shop.example');
  const { generated } = await setPassword(database, { projectId: one, mailboxId }, null);
  assert.ok(verifyPassword(generated ?? '', await hashOf(one)));
});

for (const [what, address, password, code] of [
  ['an invalid address', 'sales', null, 'validation-failed'],
  ['an address without a mailbox', 'nobody@shop.example', null, 'not-found'],
  ['a short password', 'sales@shop.example', 'too short', 'validation-failed'],
] as const) {
  test(`${what} is rejected`, async () => {
    const before = await hashOf(one);
    await assert.rejects(
      async () =>
        setPassword(
          database,
          { projectId: one, mailboxId: await findMailbox(database, one, address) },
          password,
        ),
      (error) => error instanceof AppError && error.code === code,
    );
    assert.equal(await hashOf(one), before);
  });
}
