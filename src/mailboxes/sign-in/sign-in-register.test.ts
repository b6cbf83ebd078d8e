import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newUuid } from '../../model/ids.ts';
import { endMailboxSessions } from './mailbox-access.ts';
import { newOwner, newProcess, type Owner, signedIn } from './sign-in.fixture.ts';
import { SignInRegister } from './sign-in-register.ts';

const db = await testDatabase();
const { database } = db;
after(() => db[Symbol.asyncDispose]());

const opening = ({ projectId, mailboxId }: Owner, address = '192.0.2.1') =>
  ({ projectId, mailboxId, door: 'imap', address, appPasswordId: null }) as const;

const openOf = async ({ mailboxId }: Owner) =>
  (
    await database
      .selectFrom('mailboxSessions')
      .select('address')
      .where('mailboxId', '=', mailboxId)
      .execute()
  ).map(({ address }) => address);
const signInsOf = ({ mailboxId }: Owner) =>
  database
    .selectFrom('mailboxSignIns')
    .select(['address', 'signedInAt'])
    .where('mailboxId', '=', mailboxId)
    .orderBy('signedInAt', 'desc')
    .execute();

test('the row of a session is written once, and deleted when the session is closed or its process ends', async () => {
  const owner = await newOwner(db);
  const register = new SignInRegister(database, newUuid());
  const close = register.note(opening(owner, '192.0.2.1'));
  register.note(opening(owner, '192.0.2.2'));
  register.note(opening(owner, '192.0.2.3'))();
  await register.write();
  await register.write();
  assert.deepEqual((await openOf(owner)).sort(), ['192.0.2.1', '192.0.2.2']);
  close();
  await register.write();
  assert.deepEqual(await openOf(owner), ['192.0.2.2']);
  assert.equal((await signInsOf(owner)).length, 3);
  await register[Symbol.asyncDispose]();
  assert.deepEqual(await openOf(owner), []);
});

test('the newest sign-ins of a mailbox are stored, at most one per client within ten minutes', async () => {
  const owner = await newOwner(db);
  await using register = new SignInRegister(database, newUuid());
  register.note(opening(owner));
  await register.write();
  const [first] = await signInsOf(owner);
  register.note(opening(owner));
  await register.write();
  assert.deepEqual(await signInsOf(owner), [first]);
  await database
    .updateTable('mailboxSignIns')
    .set({ signedInAt: new Date(0) })
    .execute();
  register.note(opening(owner));
  await register.write();
  assert.ok(((await signInsOf(owner))[0]?.signedInAt.getTime() ?? 0) > 0);
  for (let at = 0; at < 60; at++) register.note(opening(owner, `198.51.100.${at}`));
  await register.write();
  register.note(opening(owner, '203.0.113.1'));
  await register.write();
  assert.ok((await signInsOf(owner)).length <= 51);
});

test('all sessions of a mailbox can be ended, in all processes, and the password then still works', async () => {
  const owner = await newOwner(db);
  await using one = newProcess(db);
  await using other = newProcess(db);
  const neighbor = await signedIn(one, (await newOwner(db)).user);
  const open = [await signedIn(one, owner.user), await signedIn(other, owner.user, { door: 'web' })];
  assert.ok(await endMailboxSessions(database, owner));
  for (const { ended } of open) if (!ended.aborted) await once(ended, 'abort');
  assert.ok(!neighbor.ended.aborted);
  assert.ok(!(await signedIn(one, owner.user)).ended.aborted);
});
