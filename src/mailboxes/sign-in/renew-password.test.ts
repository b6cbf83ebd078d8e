import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
import bcrypt from 'bcryptjs';
import { sql } from 'kysely';
import { eventually } from '../../../test/support/eventually.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { HashingThread } from '../../accounts/passwords/hashing-thread.ts';
import { hashPassword } from '../../accounts/passwords/password.ts';
import { shaCrypt } from '../../accounts/passwords/sha-crypt.ts';
import { newUuid } from '../../model/ids.ts';
import { setPassword } from '../set-password.ts';
import { createAppPassword } from './app-passwords.ts';
import { renewPassword } from './renew-password.ts';
import { attempt, newOwner, newProcess, type Owner, PASSWORD, signedIn } from './sign-in.fixture.ts';
import type { SignInAttempt } from './sign-in.ts';
import { beginWebSession, WebSessions } from './web-sessions.ts';

const db = await testDatabase();
const { database } = db;
const [one, other] = [newProcess(db), newProcess(db)];
after(async () => {
  await Promise.all([one, other].map((process) => process[Symbol.asyncDispose]()));
  await db[Symbol.asyncDispose]();
});

const BCRYPT = `{BLF-CRYPT}${bcrypt.hashSync(PASSWORD, 5)}`;
const SHA512 = `{SHA512-CRYPT}$6$saltsalt$${shaCrypt('sha512', Buffer.from(PASSWORD), Buffer.from('saltsalt'), 5_000)}`;

async function newImported(stored = BCRYPT): Promise<Owner> {
  const owner = await newOwner(db);
  await setPassword(database, owner, { stored });
  return owner;
}

async function storedHash({ mailboxId }: Owner): Promise<string> {
  const { passwordHash } = await database
    .selectFrom('mailboxes')
    .select('passwordHash')
    .where('id', '=', mailboxId)
    .executeTakeFirstOrThrow();
  return passwordHash ?? '';
}

const OURS = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;
const DOORS: Pick<SignInAttempt, 'door' | 'access'>[] = [
  { door: 'imap', access: 'read' },
  { door: 'pop3', access: 'read' },
  { door: 'submission', access: 'everything' },
  { door: 'web', access: 'everything' },
];
for (const door of DOORS)
  for (const stored of [BCRYPT, SHA512])
    test(`a sign-in over ${door.door} renews ${stored.slice(0, 14)}, and its session stays open`, async () => {
      const owner = await newImported(stored);
      assert.deepEqual(await attempt(one, owner.user, { ...door, password: 'wrong' }), {
        outcome: 'refused',
      });
      assert.equal(await storedHash(owner), stored);
      const session = await signedIn(one, owner.user, door);
      const renewed = await storedHash(owner);
      assert.match(renewed, OURS);
      // The other process computes the new hash.
      (await signedIn(other, owner.user, door))[Symbol.dispose]();
      assert.deepEqual(await attempt(other, owner.user, { ...door, password: 'wrong' }), {
        outcome: 'refused',
      });
      assert.equal(await storedHash(owner), renewed);
      assert.equal(session.ended.aborted, false);
      session[Symbol.dispose]();
    });

test('checking the password before a second factor renews it too, and returns the new hash', async () => {
  const owner = await newImported();
  const proof = await one.prove({
    user: owner.user,
    password: PASSWORD,
    address: '192.0.2.1',
    door: 'web',
    access: 'everything',
  });
  assert.ok(proof.outcome === 'proved');
  assert.match(proof.passwordHash, OURS);
  assert.equal(proof.passwordHash, await storedHash(owner));
});

test('a renewal ends neither sessions of browsers nor sessions with app passwords', async () => {
  const owner = await newImported();
  const { password } = await createAppPassword(database, owner, { name: 'phone', access: 'read' });
  const byApp = await signedIn(one, owner.user, { password });
  // A browser that signed in with a passkey
  const proved = { ...owner, passwordHash: BCRYPT, sessionsVersion: 0 };
  const begun = await beginWebSession(database, proved, { address: '192.0.2.1', userAgent: '' });
  assert.ok(begun !== null);
  const web = new WebSessions(database);
  const session = await web.lookUp(begun.token);
  assert.ok(session !== null);
  const stream = await one.openForWebSession(session, '192.0.2.1');
  assert.ok(stream !== null);
  (await signedIn(other, owner.user))[Symbol.dispose]();
  assert.match(await storedHash(owner), OURS);
  // A new session is opened only after a check that has seen the change.
  (await signedIn(one, owner.user))[Symbol.dispose]();
  assert.notEqual(await web.lookUp(begun.token), null);
  assert.deepEqual([byApp.ended.aborted, stream.ended.aborted], [false, false]);
  for (const each of [byApp, stream]) each[Symbol.dispose]();
});

test('ten connections over two processes at once all sign in, and the password is renewed once', async () => {
  const owner = await newImported();
  const sessions = await Promise.all(
    Array.from({ length: 10 }, (_, at) => signedIn(at % 2 === 0 ? one : other, owner.user)),
  );
  assert.match(await storedHash(owner), OURS);
  await signedIn(one, owner.user);
  assert.ok(sessions.every(({ ended }) => !ended.aborted));
  for (const session of sessions) session[Symbol.dispose]();
});

test('a password that was changed since it was proved is not replaced', async () => {
  const owner = await newImported();
  await setPassword(database, owner, 'another horse battery');
  const changed = await storedHash(owner);
  const proved = { password: PASSWORD, passwordHash: BCRYPT };
  assert.equal(await renewPassword(database, owner, proved), null);
  assert.equal(await storedHash(owner), changed);
});

test('a sign-in during a password change is refused, and the new password stays', async () => {
  const owner = await newImported();
  const passwordHash = await hashPassword('another horse battery');
  const result = await database.transaction().execute(async (tx) => {
    await tx.updateTable('mailboxes').set({ passwordHash }).where('id', '=', owner.mailboxId).execute();
    const signingIn = attempt(one, owner.user);
    const isWaiting = await eventually(async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database);
      return rows.length === 1;
    }, 5_000);
    assert.ok(isWaiting);
    return { signingIn };
  });
  assert.deepEqual(await result.signingIn, { outcome: 'refused' });
  assert.equal(await storedHash(owner), passwordHash);
});

test('a name without a mailbox costs the same kind of hash as the mailboxes of its domain', async () => {
  const verified: unknown[][] = [];
  const verify = mock.method(HashingThread.prototype, 'verify', async (...args: unknown[]) => {
    verified.push(args);
    return false;
  });
  const imported = await newImported(SHA512);
  const ours = await newOwner(db);
  const nameAt = ({ user }: Owner) => `${newUuid()}@${user.split('@')[1]}`;
  for (const user of [nameAt(imported), nameAt(ours), `${newUuid()}@nowhere.example`, 'no address'])
    await attempt(one, user, { address: '198.51.100.1' });
  verify.mock.restore();
  const standIn = `{SHA512-CRYPT}$6$saltsalt$${'A'.repeat(86)}`;
  assert.deepEqual(verified, [
    [PASSWORD, null, standIn],
    [PASSWORD, null, null],
    [PASSWORD, null, null],
    [PASSWORD, null, null],
  ]);
});
