import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testDatabase } from '../../test/support/postgres.ts';
import { createProject, ensureOrganization } from '../accounts/projects.ts';
import { AppError } from '../model/app-error.ts';
import { encodeId, newUuid } from '../model/ids.ts';
import { Mailboxes } from './mailboxes.ts';
import { verifyPassword } from './password.ts';
import { setPassword } from './set-password.ts';

const db = await testDatabase();
const { database } = db;
after(() => db[Symbol.asyncDispose]());

/** A project with the mailbox Sales@shop.example. */
async function newProject(name: string): Promise<string> {
  const projectId = await database
    .transaction()
    .execute(async (tx) => createProject(tx, await ensureOrganization(tx), name, 'paid'));
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
    local_part: 'Sales',
    password: `password of ${name}`,
    quota_mb: 1,
  });
  return projectId;
}

async function hashOf(projectId: string): Promise<string | null> {
  const row = await database
    .selectFrom('mailboxes')
    .select('passwordHash')
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow();
  return row.passwordHash;
}

const one = await newProject('one');
const two = await newProject('two');

test('a password that was given is set, of the mailbox of this project alone', async () => {
  const result = await setPassword(database, one, 'SALES@Shop.Example', 'a new password');
  assert.deepEqual(result, { address: 'Sales@shop.example', generated: null });
  assert.ok(await verifyPassword('a new password', await hashOf(one)));
  assert.ok(await verifyPassword('password of two', await hashOf(two)));
});

test('without one, a password is generated and told', async () => {
  const { generated } = await setPassword(database, one, 'sales@shop.example', null);
  assert.ok(await verifyPassword(generated ?? '', await hashOf(one)));
});

for (const [what, address, password, code] of [
  ['an address that is none', 'sales', null, 'validation-failed'],
  ['an address without a mailbox', 'nobody@shop.example', null, 'not-found'],
  ['a short password', 'sales@shop.example', 'too short', 'validation-failed'],
] as const) {
  test(`${what} is refused`, async () => {
    const before = await hashOf(one);
    await assert.rejects(
      setPassword(database, one, address, password),
      (error) => error instanceof AppError && error.code === code,
    );
    assert.equal(await hashOf(one), before);
  });
}
