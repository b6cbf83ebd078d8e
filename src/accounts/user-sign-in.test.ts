import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newUuid } from '../model/ids.ts';
import { quickHash } from '../../test/support/quick-hash.ts';
import { STRANGERS } from './passwords/limits.ts';
import { type ProofResult, type ProvedUser, UserSignIn } from './user-sign-in.ts';
import { createUser } from './users.ts';

let db: TestDatabase;
/** Two processes that share their counts of guesses. */
let one: UserSignIn;
let other: UserSignIn;
const lines: object[] = [];
before(async () => {
  db = await testDatabase();
  const logger = { info: (fields: object, msg: string) => lines.push({ ...fields, msg }) };
  [one, other] = [0, 1].map(() => new UserSignIn({ database: db.database, logger })) as [
    UserSignIn,
    UserSignIn,
  ];
});
after(async () => {
  await Promise.all([one, other].map((each) => each[Symbol.asyncDispose]()));
  await db[Symbol.asyncDispose]();
});

const PASSWORD = 'correct horse battery';
const hashed = quickHash(PASSWORD);
const HOME = '198.51.100.7';

async function newUser(): Promise<{ userId: string; email: string }> {
  const email = `${newUuid()}@acme.example`;
  const passwordHash = hashed;
  const userId = await db.database
    .transaction()
    .execute((tx) => createUser(tx, { email, name: 'x', passwordHash, isOperator: false }));
  return { userId, email };
}

function proved(result: ProofResult): ProvedUser {
  assert.ok(result.outcome === 'right', result.outcome);
  return result.proved;
}

const prove = (process: UserSignIn, email: string, password: string, address: string) =>
  process.prove({ email, password, address });

test('a flood of guesses from many networks is stopped, and the owner signs in from a known network', async () => {
  const { email } = await newUser();
  const client = { address: HOME, userAgent: 'test' };
  assert.notEqual(await one.enter(proved(await prove(one, email, PASSWORD, HOME)), client), null);
  const outcomes: string[] = [];
  for (let at = 0; at < STRANGERS.burst + 3; at++) {
    const process = at % 2 === 0 ? one : other;
    outcomes.push((await prove(process, email, `guess ${at}`, `203.0.${at}.1`)).outcome);
  }
  assert.deepEqual(new Set(outcomes.slice(0, STRANGERS.burst)), new Set(['refused']));
  assert.deepEqual(new Set(outcomes.slice(STRANGERS.burst)), new Set(['try-later']));
  assert.equal((await prove(other, email, PASSWORD, '203.0.113.1')).outcome, 'try-later');
  assert.equal((await prove(other, email, PASSWORD, HOME)).outcome, 'right');
});

test('an address without an account runs out of guesses like the address of a user', async () => {
  const email = `${newUuid()}@nowhere.example`;
  for (let at = 0; at < STRANGERS.burst; at++)
    assert.equal((await prove(one, email, `guess ${at}`, `203.1.${at}.1`)).outcome, 'refused');
  assert.equal((await prove(one, email, 'one more', '203.1.113.1')).outcome, 'try-later');
});

test('no session begins if the password is changed after it was proved', async () => {
  const { email, userId } = await newUser();
  const right = proved(await prove(one, email, PASSWORD, HOME));
  const passwordHash = quickHash('another horse battery');
  await db.database.updateTable('users').set({ passwordHash }).where('id', '=', userId).execute();
  assert.equal(await one.enter(right, { address: HOME, userAgent: '' }), null);
  const sessions = await db.database
    .selectFrom('sessions')
    .selectAll()
    .where('userId', '=', userId)
    .execute();
  assert.deepEqual(sessions, []);
});

test('the log contains the IP address and the outcome of each sign-in, but not the entered address and password', async () => {
  const { email } = await newUser();
  lines.length = 0;
  await prove(one, email, 'a wrong horse', '192.0.2.9');
  await one.enter(proved(await prove(one, email, PASSWORD, '192.0.2.9')), {
    address: '192.0.2.9',
    userAgent: '',
  });
  assert.partialDeepStrictEqual(lines, [
    { msg: 'sign-in refused', door: 'dashboard', clientAddress: '192.0.2.9', reason: 'wrong-password' },
    { msg: 'signed in', door: 'dashboard', clientAddress: '192.0.2.9', by: 'password', isNewNetwork: true },
  ]);
  assert.doesNotMatch(JSON.stringify(lines), /horse|@/);
});
