import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testDatabase } from '../../../test/support/postgres.ts';
import { createAppPassword, listAppPasswords } from './app-passwords.ts';
import { accountGuess, knownGuess } from '../../accounts/passwords/guesses.ts';
import { guessedName, readUserName } from './find-accounts.ts';
import { attempt, newOwner, newProcess, type Owner, PASSWORD, SOMEWHERE } from './sign-in.fixture.ts';
import type { SignInAttempt } from './sign-in.ts';

const db = await testDatabase();
const signIn = newProcess(db);
after(async () => {
  await signIn[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});
const { database } = db;

const set = (owner: Owner, columns: { passwordHash?: null; isShared?: true; secondFactorSince?: Date }) =>
  database.updateTable('mailboxes').set(columns).where('id', '=', owner.mailboxId).execute();
const unchanged = async () => PASSWORD;
const appPassword =
  (access: 'read' | 'everything') =>
  async (owner: Owner): Promise<string> =>
    (await createAppPassword(database, owner, { name: 'phone', access })).password;

/** Each function changes a new mailbox and returns the password that its owner then signs in with. */
const STATES = {
  'the password': unchanged,
  'a wrong password': async () => 'wrong horse battery',
  'no password set': async (owner: Owner) => {
    await set(owner, { passwordHash: null });
    return PASSWORD;
  },
  'the password with a second factor': async (owner: Owner) => {
    await set(owner, { secondFactorSince: new Date() });
    return PASSWORD;
  },
  'an app password for everything': appPassword('everything'),
  'an app password for reading': appPassword('read'),
  'an app password with a second factor': async (owner: Owner) => {
    await set(owner, { secondFactorSince: new Date() });
    return appPassword('everything')(owner);
  },
  'an app password of another mailbox': async () => appPassword('everything')(await newOwner(db)),
  'an app password of a mailbox that is now shared': async (owner: Owner) => {
    const password = await appPassword('everything')(owner);
    await set(owner, { passwordHash: null, isShared: true });
    return password;
  },
  'a deleted mailbox': async (owner: Owner) => {
    await database.deleteFrom('mailboxes').where('id', '=', owner.mailboxId).execute();
    return PASSWORD;
  },
  'the password of an account under attack': async (owner: Owner) => {
    await exhaustGuesses(owner);
    return PASSWORD;
  },
  'an app password of an account under attack': async (owner: Owner) => {
    await exhaustGuesses(owner);
    return appPassword('everything')(owner);
  },
};

async function exhaustGuesses({ user }: Owner): Promise<void> {
  const name = readUserName(user);
  assert.ok(name !== null);
  const forgivenAt = new Date(Date.now() + 24 * 60 * 60_000);
  const keys = [accountGuess(guessedName(name)), knownGuess(guessedName(name), SOMEWHERE)].map(
    ({ key }) => key,
  );
  await database
    .insertInto('signInGuesses')
    .values(keys.map((key) => ({ key, forgivenAt })))
    .execute();
}

/** What each column of `TABLE` signs in to, and with which access. */
const DOORS: Pick<SignInAttempt, 'door' | 'access'>[] = [
  { door: 'imap', access: 'read' },
  { door: 'pop3', access: 'read' },
  { door: 'submission', access: 'everything' },
  { door: 'web', access: 'everything' },
];
/** The access that the owner gets over each protocol, or the outcome. */
// biome-ignore format: a table
const TABLE: [state: keyof typeof STATES, ...outcomes: string[]][] = [
  //                                              IMAP         POP3         submission   web
  ['the password',                               'everything', 'everything', 'everything', 'everything'],
  ['a wrong password',                           'refused',    'refused',    'refused',    'refused'],
  ['no password set',                            'refused',    'refused',    'refused',    'refused'],
  ['the password with a second factor',          'refused',    'refused',    'refused',    'everything'],
  ['an app password for everything',             'everything', 'everything', 'everything', 'refused'],
  ['an app password for reading',                'read',       'read',       'refused',    'refused'],
  ['an app password with a second factor',       'everything', 'everything', 'everything', 'refused'],
  ['an app password of another mailbox',         'refused',    'refused',    'refused',    'refused'],
  ['an app password of a mailbox that is now shared', 'refused', 'refused',  'refused',    'refused'],
  ['a deleted mailbox',                          'refused',    'refused',    'refused',    'refused'],
  ['the password of an account under attack',    'try-later',  'try-later',  'try-later',  'try-later'],
  ['an app password of an account under attack', 'everything', 'everything', 'everything', 'try-later'],
];

for (const [state, ...outcomes] of TABLE) {
  test(`${state}: ${outcomes.join(', ')}`, async () => {
    const owner = await newOwner(db);
    const password = await STATES[state](owner);
    const seen: string[] = [];
    for (const [at, door] of DOORS.entries()) {
      // Each attempt comes from a different network, so that the attempts do not affect each other's limits.
      const result = await attempt(signIn, owner.user, { ...door, password, address: `203.0.${at}.1` });
      seen.push(result.outcome === 'signed-in' ? result.mailbox.access : result.outcome);
      if (result.outcome === 'signed-in') result.mailbox[Symbol.dispose]();
    }
    assert.deepEqual(seen, outcomes);
  });
}

test('an app password works in every form that users copy, and its last use is shown to the hour', async () => {
  const owner = await newOwner(db);
  const { id, password } = await createAppPassword(database, owner, { name: 'phone', access: 'read' });
  const usedAt = async () => (await listAppPasswords(database, owner))[0]?.lastUsedAt ?? null;
  assert.equal(await usedAt(), null);
  for (const form of [password, password.replaceAll('-', ' '), password.replaceAll('-', '').toUpperCase()]) {
    const result = await attempt(signIn, owner.user, { password: form });
    assert.ok(result.outcome === 'signed-in');
    result.mailbox[Symbol.dispose]();
  }
  const first = await usedAt();
  assert.ok(first !== null);
  const before = new Date(first.getTime() - 2 * 60 * 60_000);
  await database.updateTable('appPasswords').set({ lastUsedAt: before }).where('id', '=', id).execute();
  const result = await attempt(signIn, owner.user, { password });
  assert.ok(result.outcome === 'signed-in');
  result.mailbox[Symbol.dispose]();
  assert.ok(((await usedAt())?.getTime() ?? 0) >= first.getTime());
});
