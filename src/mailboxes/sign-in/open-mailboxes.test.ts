import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, describe, test } from 'node:test';
import { newMailbox } from '../../../test/support/mail.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { setPassword } from '../set-password.ts';
import { shareMailbox, unshareMailbox } from '../sharing/grants.ts';
import { createAppPassword, revokeAppPassword } from './app-passwords.ts';
import { attempt, newOwner, newProcess, type Owner, signedIn } from './sign-in.fixture.ts';
import type { SignedInMailbox } from './sign-in.ts';
import { TIMINGS } from './timings.ts';

const db = await testDatabase();
const { database } = db;
const timings = { ...TIMINGS };
const [one, other] = [newProcess(db, [], { timings }), newProcess(db)];
after(async () => {
  await Promise.all([one, other].map((process) => process[Symbol.asyncDispose]()));
  await db[Symbol.asyncDispose]();
});

const ended = async ({ ended }: SignedInMailbox): Promise<void> => {
  if (!ended.aborted) await once(ended, 'abort');
};

async function openAll(owner: Owner) {
  const app = await createAppPassword(database, owner, { name: 'phone', access: 'read' });
  const open = (process: typeof one, options: object) => signedIn(process, owner.user, options);
  return {
    app,
    byPassword: [await open(one, {}), await open(other, {})],
    byApp: [await open(one, { password: app.password }), await open(other, { password: app.password })],
    byWeb: [await open(one, { door: 'web' }), await open(other, { door: 'web' })],
  };
}

const isOpen = (mailboxes: SignedInMailbox[]) => mailboxes.every((mailbox) => !mailbox.ended.aborted);

test('a new password ends only the sessions with the old password, in all processes', async () => {
  const owner = await newOwner(db);
  const neighbor = await signedIn(one, (await newOwner(db)).user);
  const { byPassword, byApp, byWeb } = await openAll(owner);
  await setPassword(database, owner, 'a new password');
  await Promise.all([...byPassword, ...byWeb].map(ended));
  assert.ok(isOpen([...byApp, neighbor]));
  const again = await signedIn(one, owner.user, { password: 'a new password' });
  assert.ok(isOpen([again]));
});

test('a revoked app password ends only its own sessions', async () => {
  const owner = await newOwner(db);
  const { app, byPassword, byApp } = await openAll(owner);
  await revokeAppPassword(database, owner, app.id);
  await Promise.all(byApp.map(ended));
  assert.ok(isOpen(byPassword));
});

test('a second factor ends the sessions that mail apps opened with the password', async () => {
  const owner = await newOwner(db);
  const { byPassword, byApp, byWeb } = await openAll(owner);
  await database
    .updateTable('mailboxes')
    .set({ secondFactorSince: new Date() })
    .where('id', '=', owner.mailboxId)
    .execute();
  await Promise.all(byPassword.map(ended));
  assert.ok(isOpen([...byApp, ...byWeb]));
});

test('deleting a mailbox ends all its sessions', async () => {
  const owner = await newOwner(db);
  const { byPassword, byApp, byWeb } = await openAll(owner);
  await database.deleteFrom('mailboxes').where('id', '=', owner.mailboxId).execute();
  await Promise.all([...byPassword, ...byApp, ...byWeb].map(ended));
});

test('a change ends sessions even if a later transaction commits first', async () => {
  const [early, late] = [await newOwner(db), await newOwner(db)];
  const open = [await signedIn(one, early.user), await signedIn(one, late.user)] as const;
  const change = (owner: Owner, connection = database) =>
    connection
      .updateTable('mailboxes')
      .set({ passwordHash: null })
      .where('id', '=', owner.mailboxId)
      .execute();
  await database.transaction().execute(async (tx) => {
    await change(early, tx);
    await change(late);
    await ended(open[1]);
    assert.ok(isOpen([open[0]]));
  });
  await ended(open[0]);
});

test('a process that was disconnected for longer than the retention of changes checks all open sessions', async () => {
  const owner = await newOwner(db);
  const staying = await signedIn(one, (await newOwner(db)).user);
  const open = await signedIn(one, owner.user);
  await database.transaction().execute(async (tx) => {
    await tx.updateTable('mailboxes').set({ passwordHash: null }).where('id', '=', owner.mailboxId).execute();
    await tx.deleteFrom('credentialChanges').where('mailboxId', '=', owner.mailboxId).execute();
    // Pretend that the last check was longer ago than changes are retained.
    timings.changesRetainedMs = -1;
  });
  await ended(open);
  timings.changesRetainedMs = TIMINGS.changesRetainedMs;
  assert.ok(isOpen([staying]));
});

test('the number of open sessions of a mailbox from one network is limited', async () => {
  const { user } = await newOwner(db);
  const open: SignedInMailbox[] = [];
  for (let at = 0; at < 100; at++) open.push(await signedIn(one, user));
  const further = await attempt(one, user);
  assert.ok(further.outcome === 'try-later');
  assert.equal(further.reason, 'connections');
  open.push(await signedIn(one, user, { address: '192.0.2.200' }));
  open[0]?.[Symbol.dispose]();
  open.push(await signedIn(one, user));
  for (const mailbox of open) mailbox[Symbol.dispose]();
});

describe('grants', () => {
  /** A session of a member in each process, and the mailbox that is shared with the member. */
  async function memberOf() {
    const member = await newOwner(db);
    const shared = await newMailbox(database, { projectId: member.projectId });
    const share = (access: 'read' | 'write') =>
      shareMailbox(database, shared, { member: member.user, access, sending: 'none' });
    await share('write');
    const sessions = [await signedIn(one, member.user), await signedIn(other, member.user)];
    return { member, shared, share, sessions };
  }

  for (const [change, run] of [
    ['revoked', ({ shared, member }) => unshareMailbox(database, shared, member.user)],
    ['reduced to reading', ({ share }) => share('read')],
    [
      'deleted with the shared mailbox',
      ({ shared }) => database.deleteFrom('mailboxes').where('id', '=', shared.mailboxId).execute(),
    ],
  ] satisfies [string, (of: Awaited<ReturnType<typeof memberOf>>) => Promise<unknown>][])
    test(`a grant that is ${change} ends only the sessions that use it, in all processes`, async () => {
      const all = await memberOf();
      const unused = await signedIn(one, all.member.user);
      for (const session of all.sessions)
        assert.equal(await session.useGrant(all.shared.mailboxId, 'write'), true);
      await run(all);
      await Promise.all(all.sessions.map(ended));
      assert.ok(isOpen([unused]));
    });

  test('a grant that was revoked a moment ago cannot be used', async () => {
    const { shared, member, sessions } = await memberOf();
    await unshareMailbox(database, shared, member.user);
    assert.equal(await sessions[0]?.useGrant(shared.mailboxId, 'write'), false);
    const stranger = await newMailbox(database);
    assert.equal(await sessions[1]?.useGrant(stranger.mailboxId, 'read'), false);
  });
});
