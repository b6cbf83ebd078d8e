/** Owners sign in at several machines. All machines count failed attempts together and apply a changed password. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { ImapWire } from '../../src/doors/imap/wire.fixture.ts';
import { STRANGERS } from '../../src/accounts/passwords/limits.ts';
import { newOwner, type Owner, PASSWORD } from '../../src/mailboxes/sign-in/sign-in.fixture.ts';
import { setPassword } from '../../src/mailboxes/set-password.ts';
import { within } from '../../src/concurrency/within.ts';
import type { Patch } from '../support/patches.ts';
import { SECRET, type TestDatabase, testDatabase } from '../support/postgres.ts';
import { type Service, startService } from '../support/service.ts';

/** Sessions must end within this time after a password change. One second of it is for a busy machine. */
const ENDED_WITHIN_MS = 3_000;

const startHost = (db: TestDatabase, patches: readonly Patch[] = []): Promise<Service> =>
  startService({
    env: { POSTHORN_DATABASE_URL: db.url, POSTHORN_SECRET: SECRET, POSTHORN_ROLES: 'http,imap' },
    patches,
  });

/** @returns the response to LOGIN */
async function login(wire: ImapWire, { user }: Owner, password: string): Promise<string> {
  assert.match((await wire.next()) ?? '', /^\* OK/);
  return (await wire.command(`a LOGIN ${user} "${password}"`)).at(-1) ?? '';
}

/** Tries wrong passwords at one machine after the other until an attempt is refused unchecked. @returns how many were checked */
async function guess(hosts: readonly Service[], owner: Owner, most: number): Promise<number> {
  for (let heard = 0; heard < most; heard++) {
    using wire = await ImapWire.connect({
      host: '127.0.0.1',
      port: hosts[heard % hosts.length]?.imapPort ?? 0,
    });
    const answer = await login(wire, owner, `a guess of ${heard}`);
    if (answer.startsWith('a NO [UNAVAILABLE]')) return heard;
    assert.match(answer, /^a NO \[AUTHENTICATIONFAILED\]/);
  }
  return most;
}

/** Opens an idle session at each machine and changes the password. @returns the number of sessions that ended in time */
async function change(db: TestDatabase, hosts: readonly Service[]): Promise<number> {
  const owner = await newOwner(db);
  using stack = new DisposableStack();
  const wires: ImapWire[] = [];
  for (const { imapPort } of hosts) {
    const wire = stack.use(await ImapWire.connect({ host: '127.0.0.1', port: imapPort }));
    assert.match(await login(wire, owner, PASSWORD), /^a OK/);
    wire.send('b IDLE\r\n');
    assert.equal(await wire.next(), '+ Idling');
    wires.push(wire);
  }
  await setPassword(db.database, owner, 'another password');
  const heard = wires.map((wire) => wire.next().then((line) => line?.startsWith('* BYE') === true));
  for (const each of heard) each.catch(() => {});
  const ended = await Promise.all(heard.map((each) => within(ENDED_WITHIN_MS, each, false)));
  return ended.filter(Boolean).length;
}

/** Makes the trigger record password changes without sending NOTIFY. */
async function loseNotices({ database }: TestDatabase): Promise<void> {
  await sql`
    create or replace function credential_changed() returns trigger language plpgsql as $$
    begin
      insert into credential_changes (mailbox_id) values (new.id);
      return null;
    end $$`.execute(database);
}

test('two machines count guesses together, and end sessions after a password change even if NOTIFY is lost', async () => {
  await using db = await testDatabase();
  await using one = await startHost(db);
  await using two = await startHost(db);
  assert.equal(await guess([one, two], await newOwner(db), 2 * STRANGERS.burst), STRANGERS.burst);
  assert.equal(await change(db, [one, two]), 2);
  await loseNotices(db);
  assert.equal(await change(db, [one, two]), 2);
});

test('control: without counting, every guess is checked; without polling, sessions survive a password change if NOTIFY is lost', async () => {
  const patches: Patch[] = [
    {
      file: 'src/accounts/passwords/password-judge.ts',
      protection: 'guesses are counted',
      replace: 'const waitMs = 0;',
    },
    {
      file: 'src/mailboxes/sign-in/open-mailboxes.ts',
      protection: 'lost notices',
      replace: 'this.#timer = setInterval(() => {}, 60_000).unref();',
    },
  ];
  await using db = await testDatabase();
  await using host = await startHost(db, patches);
  const most = STRANGERS.burst + 5;
  assert.equal(await guess([host], await newOwner(db), most), most);
  await loseNotices(db);
  assert.equal(await change(db, [host]), 0);
});
