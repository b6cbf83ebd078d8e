import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testDatabase } from '../../../test/support/postgres.ts';
import { forgettingSignIns } from './background-jobs.ts';
import { type Guess, Guesses, strangersGuesses } from '../../accounts/passwords/guesses.ts';
import { REPEATED_LINES } from '../../accounts/passwords/limits.ts';
import { attempt, newOwner, newProcess, PASSWORD, signedIn } from './sign-in.fixture.ts';
import { unlockMailbox } from './unlock.ts';

const db = await testDatabase();
const { database } = db;
/** Two processes that count guesses in the same database. */
const [one, other] = [newProcess(db), newProcess(db)];
after(async () => {
  await Promise.all([one, other].map((process) => process[Symbol.asyncDispose]()));
  await db[Symbol.asyncDispose]();
});

const HOUR_MS = 60 * 60_000;
let lastKey = 0;
const newGuess = (burst = 3, eachMs = HOUR_MS): Guess => ({
  key: String(++lastKey).padStart(32, '0'),
  burst,
  eachMs,
});
const guesses = () => new Guesses(database);

test('a burst of guesses passes, counted over all processes, and then further guesses must wait', async () => {
  const guess = newGuess(3);
  for (let at = 0; at < 3; at++) assert.equal(await guesses().take([guess]), 0);
  const waitMs = await guesses().take([guess]);
  assert.ok(waitMs > 0.9 * HOUR_MS && waitMs <= HOUR_MS, String(waitMs));
});

test('of a hundred concurrent guesses only as many as the burst allows pass', async () => {
  const guess = newGuess(5);
  const waits = await Promise.all(Array.from({ length: 100 }, () => guesses().take([guess])));
  assert.equal(waits.filter((waitMs) => waitMs === 0).length, 5);
});

test('a guess that one limit rejects does not count toward the other limits', async () => {
  const [small, large] = [newGuess(1), newGuess(3)];
  assert.equal(await guesses().take([small, large]), 0);
  for (let at = 0; at < 5; at++) assert.notEqual(await guesses().take([small, large]), 0);
  assert.equal(await guesses().take([large]), 0);
  assert.equal(await guesses().take([large]), 0);
  assert.notEqual(await guesses().take([large]), 0);
});

test('a guess that is refunded does not count', async () => {
  const guess = newGuess(1);
  for (let at = 0; at < 3; at++) {
    assert.equal(await guesses().take([guess]), 0);
    await guesses().refund([guess]);
  }
});

test('the wait after a rejected guess is read from memory, without a database query', async () => {
  const [guess, mine] = [newGuess(1), guesses()];
  assert.equal(mine.remainingWaitMs([guess]), 0);
  await mine.take([guess]);
  await mine.take([guess]);
  assert.ok(mine.remainingWaitMs([guess]) > 0);
});

test('expired guesses are deleted', async () => {
  const guess = newGuess(2);
  await guesses().take([guess]);
  await database
    .updateTable('signInGuesses')
    .set({ forgivenAt: new Date(Date.now() - 1_000) })
    .where('key', '=', guess.key)
    .execute();
  for await (const _ of forgettingSignIns(database));
  const left = await database
    .selectFrom('signInGuesses')
    .select('key')
    .where('key', '=', guess.key)
    .execute();
  assert.deepEqual(left, []);
});

/** Tries wrong passwords from many networks until an attempt is refused unchecked. @returns how many were checked */
async function attack(user: string): Promise<number> {
  for (let checked = 0; ; checked++) {
    const process = checked % 2 === 0 ? one : other;
    const address = `198.51.${checked}.1`;
    const { outcome } = await attempt(process, user, { password: `a guess of ${checked}`, address });
    if (outcome === 'try-later') return checked;
    assert.equal(outcome, 'refused');
  }
}

test('a botnet gets 20 guesses and does not lock out an owner on a known network', async () => {
  const owner = await newOwner(db);
  const { user } = owner;
  const home = '203.0.113.7';
  (await signedIn(one, user, { address: home }))[Symbol.dispose]();
  assert.equal(await attack(user), 20);
  // Sign in through the second process, whose cache is empty.
  (await signedIn(other, user, { address: home }))[Symbol.dispose]();
  const elsewhere = await attempt(other, user, { address: '203.0.113.8' });
  assert.ok(elsewhere.outcome === 'try-later');
  assert.equal(elsewhere.reason, 'guesses');
  assert.ok(elsewhere.afterSeconds > 200 && elsewhere.afterSeconds <= 300, String(elsewhere.afterSeconds));

  await unlockMailbox(database, owner);
  await using third = newProcess(db);
  (await signedIn(third, user, { address: '203.0.113.8' }))[Symbol.dispose]();
});

test('a network shares one limit over all accounts, and owners who are known there can still sign in', async () => {
  const owner = await newOwner(db);
  const address = '192.0.2.77';
  (await signedIn(one, owner.user, { address }))[Symbol.dispose]();
  const [, network] = strangersGuesses(['a.example', 'b'], address, address);
  assert.ok(network !== undefined);
  for (let at = 2; at < network.burst; at++) assert.equal(await guesses().take([network]), 0);
  const outcomes: string[] = [];
  for (let at = 0; at < 3; at++) {
    const user = `user${at}@nowhere.example`;
    outcomes.push((await attempt(one, user, { password: 'a guess', address })).outcome);
  }
  assert.deepEqual(outcomes, ['refused', 'refused', 'try-later']);
  (await signedIn(other, owner.user, { address }))[Symbol.dispose]();
  assert.equal((await attempt(other, (await newOwner(db)).user, { address })).outcome, 'try-later');
});

test('cached passwords do not allow more guesses', async () => {
  await using process = newProcess(db);
  const { user } = await newOwner(db);
  const address = '192.0.2.55';
  (await signedIn(process, user, { address }))[Symbol.dispose]();
  for (let guess = 0; ; guess++) {
    const { outcome } = await attempt(process, user, { password: `a guess of ${guess}`, address });
    if (outcome === 'try-later') break;
  }
  // Now even the right password is refused unchecked, although it was accepted, and so cached, a moment ago.
  assert.equal((await attempt(process, user, { address })).outcome, 'try-later');
  assert.equal((await attempt(process, user, { address: '192.0.2.56' })).outcome, 'signed-in');
  assert.equal((await attempt(process, user, { address: '192.0.2.56' })).outcome, 'signed-in');
});

test('the same wrong password counts once, however often a phone retries it, and only some attempts are logged', async () => {
  const lines: object[] = [];
  await using process = newProcess(db, lines);
  const { user } = await newOwner(db);
  const address = '192.0.2.99';
  for (let at = 0; at < 100; at++) {
    const { outcome } = await attempt(process, user, { password: 'the old password', address });
    assert.equal(outcome, 'refused');
  }
  assert.equal(lines.length, 1 + REPEATED_LINES.burst);
  for (const line of lines)
    assert.partialDeepStrictEqual(line, { door: 'imap', clientAddress: address, reason: 'wrong-password' });
  (await signedIn(process, user, { address }))[Symbol.dispose]();
});

test('a hundred concurrent sign-ins cost one hash and one guess', async () => {
  await using process = newProcess(db);
  const { user } = await newOwner(db);
  const address = '192.0.2.101';
  const outcomes = async (password: string): Promise<Set<string>> => {
    const all = Array.from({ length: 100 }, () => attempt(process, user, { address, password }));
    const results = await Promise.all(all);
    for (const result of results) if (result.outcome === 'signed-in') result.mailbox[Symbol.dispose]();
    return new Set(results.map(({ outcome }) => outcome));
  };
  assert.deepEqual(await outcomes('the old password'), new Set(['refused']));
  assert.deepEqual(await outcomes(PASSWORD), new Set(['signed-in']));
});

test('a correct password is cached until it is changed', async () => {
  const owner = await newOwner(db);
  (await signedIn(one, owner.user))[Symbol.dispose]();
  await database
    .updateTable('mailboxes')
    .set({ passwordHash: null })
    .where('id', '=', owner.mailboxId)
    .execute();
  assert.equal((await attempt(one, owner.user)).outcome, 'refused');
});

test('the log contains nothing that a client sent', async () => {
  const lines: object[] = [];
  await using process = newProcess(db, lines);
  const { user } = await newOwner(db);
  await attempt(process, user, { password: 'a secret that is wrong' });
  await attempt(process, 'my-secret@nowhere.example', { password: 'another one' });
  (await signedIn(process, user))[Symbol.dispose]();
  assert.equal(lines.length, 3);
  const text = JSON.stringify(lines);
  for (const secret of ['secret', 'another one', PASSWORD, user]) assert.ok(!text.includes(secret), text);
});
