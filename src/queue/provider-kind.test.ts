import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { newEmail, queueEmailTo } from '../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { deleteRows, emptyQueue, setCrashes } from '../../test/support/queue-rows.ts';
import { newSubmission } from '../../test/support/submissions.ts';
import { newUuid, timeOf } from '../model/ids.ts';
import { insertEmails, type NewEmail } from '../sending/accept/insert-emails.ts';
import { requeue } from '../sending/deliver/requeue.ts';
import { insertSubmissions } from '../sending/submit/insert-submissions.ts';
import { claimDue, type ClaimedRow, claimPoison, retryClockStartMs } from './claim.ts';
import { claimParked, parkUnstarted } from './destinations.ts';
import { MAX_CRASHES } from './end-lease.ts';
import { Lease } from './lease.ts';
import { pauseSending, resumeSending } from './pause.ts';
import {
  changeProviderKind,
  countOfKind,
  type NamedProvider,
  type ProviderKind,
  ProviderWatch,
  readNotSendingSince,
  readProviderKind,
  recordProviderKind,
  rejoinSetAside,
  releaseFromSandbox,
  whyNotSending,
} from './provider-kind.ts';
import { markingInFlight } from './settle.ts';

const NAMED = (provider: string): NamedProvider => ({ provider, isProviderNamed: true });
const BY_DEFAULT: NamedProvider = { provider: 'sandbox', isProviderNamed: false };
const NONE: NamedProvider = { provider: null, isProviderNamed: false };

let db: TestDatabase;
const leases: Lease[] = [];

before(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  await emptyQueue(db.database);
  await sql`delete from settings where name like 'provider_%'`.execute(db.database);
});
afterEach(() => {
  for (const lease of leases.splice(0)) lease.stop();
});
after(() => db[Symbol.asyncDispose]());

async function leaseOf(kind: ProviderKind | null): Promise<string> {
  const isSandbox = kind === null ? null : kind === 'sandbox';
  const lease = await Lease.begin(db.database, newUuid(), 'test', { isSandbox });
  leases.push(lease);
  return lease.leaseId;
}

const change = (kind: ProviderKind) =>
  db.database.transaction().execute((tx) => changeProviderKind(tx, kind));
const release = async () =>
  (await db.database.transaction().execute((tx) => releaseFromSandbox(tx, null)))?.released ?? 0;
const addresses = (rows: readonly ClaimedRow[]) => rows.map(({ address }) => address).sort();
const claim = async (leaseId: string, limit = 10) => (await claimDue(db.database, leaseId, limit)).rows;

/** Queues an email to each address while the installation uses a provider of the given kind. */
async function accept(kind: ProviderKind, ...to: string[]): Promise<void> {
  await change(kind);
  for (const address of to) await queueEmailTo(db.database, [address]);
}

test('the first start with POSTHORN_PROVIDER set decides the kind of provider, and later starts do not change it', async () => {
  await recordProviderKind(db.database, NONE);
  assert.equal(await readProviderKind(db.database), null);
  await recordProviderKind(db.database, BY_DEFAULT);
  assert.equal(await readProviderKind(db.database), 'sandbox');
  await recordProviderKind(db.database, NAMED('direct'));
  for (const start of [BY_DEFAULT, NONE, NAMED('sandbox')]) await recordProviderKind(db.database, start);
  assert.equal(await readProviderKind(db.database), 'real');
});

test('a process sends only if its provider is of the kind that the installation uses', () => {
  for (const real of ['direct', 'smtp', 'ses']) {
    assert.equal(whyNotSending(NAMED(real), 'real'), null);
    assert.match(whyNotSending(NAMED(real), 'sandbox') ?? '', /is a sandbox, so this process sends nothing/);
  }
  assert.equal(whyNotSending(NAMED('sandbox'), 'sandbox'), null);
  assert.match(whyNotSending(NAMED('sandbox'), 'real') ?? '', /^POSTHORN_PROVIDER is sandbox, but/);
  assert.match(whyNotSending(BY_DEFAULT, 'real') ?? '', /^POSTHORN_PROVIDER is not set, .*sends real mail/);
  for (const kind of [null, 'sandbox', 'real'] as const)
    assert.match(whyNotSending(NONE, kind) ?? '', /^POSTHORN_PROVIDER is not set, so no mail is sent/);
  for (const named of [BY_DEFAULT, NAMED('direct')]) assert.equal(whyNotSending(named, null), null);
});

const ACCEPTED: Record<string, (email: NewEmail) => Promise<unknown>> = {
  'an email': (email) => insertEmails(db.database, [email]),
  'an email for later': (email) =>
    insertEmails(db.database, [{ ...email, scheduledAt: new Date('2031-01-01') }]),
  // Forwards, notices and service mail are submissions too.
  'a submission from a mailbox': () => insertSubmissions(db.database, [newSubmission()]),
  'an email retried after the kind changed': async (email) => {
    await insertEmails(db.database, [email]);
    await deleteRows(db.database, { emailId: email.emailId });
    await setCrashes(db.database, MAX_CRASHES, { emailId: email.emailId });
    await change('real');
    await requeue(db.database, email.projectId, email.emailId);
  },
};

for (const [mail, accepting] of Object.entries(ACCEPTED))
  test(`${mail} keeps the kind of provider for which it was accepted`, async () => {
    await change('sandbox');
    await accepting(newEmail());
    assert.equal(await countOfKind(db.database, 'sandbox'), 1);
    assert.equal(await countOfKind(db.database, 'real'), 0);
  });

test('a worker claims only mail for its own kind of provider, and mail without a kind', async () => {
  await queueEmailTo(db.database, ['old@one.test']);
  await accept('real', 'real@one.test');
  await accept('sandbox', 'play@one.test');
  assert.deepEqual(addresses(await claim(await leaseOf('sandbox'))), ['old@one.test', 'play@one.test']);
  assert.deepEqual(await claim(await leaseOf('sandbox')), []);
});

test('a claim removes mail for the other kind of provider from the index of due rows', async () => {
  await accept('real', 'a@one.test', 'b@one.test', 'c@one.test');
  await accept('sandbox', 'z@one.test');
  const sandbox = await leaseOf('sandbox');
  const first = await claimDue(db.database, sandbox, 3);
  assert.deepEqual([first.rows.length, first.isMore], [0, true]);
  assert.deepEqual(addresses(await claim(sandbox, 3)), ['z@one.test']);
  const { rows } =
    await sql`select from queue where next_attempt_at < 'infinity' and lease_id is null`.execute(db.database);
  assert.equal(rows.length, 0);
});

test('a worker claims no poison or parked rows for the other kind of provider', async () => {
  await accept('real', 'poison@one.test', 'parked@two.test');
  await sql`update queue set crashes = 2 where address like 'poison%'`.execute(db.database);
  const sandbox = await leaseOf('sandbox');
  assert.equal(await claimPoison(db.database, sandbox), null);
  const real = await leaseOf('real');
  await parkUnstarted(db.database, real, await claim(real), 'two.test');
  assert.deepEqual((await claimParked(db.database, sandbox, 'two.test', 10)).rows, []);
  assert.equal(await countOfKind(db.database, 'real'), 2);
});

test('no attempt begins on a row whose kind of provider changed after the claim', async () => {
  await accept('sandbox', 'a@one.test');
  const sandbox = await leaseOf('sandbox');
  const rows = await claim(sandbox);
  await sql`update queue set is_sandbox = false`.execute(db.database);
  const marked = markingInFlight(sandbox, rows);
  assert.equal(
    (await sql`with ${marked.sql} select from ${marked.name}`.execute(db.database)).rows.length,
    0,
  );
});

test('mail released from the sandbox is real and due at once, and its retry period starts at the release', async () => {
  await accept('sandbox', 'set-aside@one.test', 'later@one.test');
  const later = new Date('2031-05-06T07:08:09Z');
  await sql`update queue set next_attempt_at = ${later}, scheduled_at = ${later} where address like 'later%'`.execute(
    db.database,
  );
  await change('real');
  const real = await leaseOf('real');
  assert.deepEqual(await claim(real), []);
  assert.equal(await release(), 2);
  assert.equal(await release(), 0);
  const [row] = await claim(real);
  assert.equal(row?.address, 'set-aside@one.test');
  assert.ok(row.waitedUntil !== null && row.waitedUntil > new Date('2026-01-01'));
  const { rows } = await sql<{ nextAttemptAt: Date }>`
    select next_attempt_at from queue where lease_id is null`.execute(db.database);
  assert.deepEqual(rows, [{ nextAttemptAt: later }]);
  const emails = await db.database.selectFrom('emails').select('isSandbox').distinct().execute();
  assert.ok(!emails.some(({ isSandbox }) => isSandbox === true));
});

test('the retry period starts at the latest of acceptance, scheduled time and release', () => {
  const emailId = newUuid();
  const acceptedMs = timeOf(emailId).getTime();
  const [early, late] = [new Date(acceptedMs + 1_000), new Date(acceptedMs + 2_000)];
  for (const [scheduledAt, waitedUntil, from] of [
    [null, null, acceptedMs],
    [late, null, late.getTime()],
    [null, early, early.getTime()],
    [late, early, late.getTime()],
    [early, late, late.getTime()],
  ] as const)
    assert.equal(retryClockStartMs({ emailId, scheduledAt, waitedUntil }), from);
});

test('rejoinSetAside makes rows for the given kind of provider due again', async () => {
  await accept('real', 'a@one.test', 'b@one.test');
  await change('sandbox');
  assert.deepEqual(await claim(await leaseOf('sandbox')), []);
  assert.equal(await rejoinSetAside(db.database, 'sandbox'), 0);
  assert.equal(await rejoinSetAside(db.database, 'real'), 2);
  assert.equal(await rejoinSetAside(db.database, 'real'), 0);
  assert.deepEqual(addresses(await claim(await leaseOf('real'))), ['a@one.test', 'b@one.test']);
});

test('time during which no process can send does not count towards the retry period', async () => {
  const quiet = { info: () => {}, error: () => {} };
  await recordProviderKind(db.database, NAMED('direct'));
  const agrees = new ProviderWatch(db.database, NAMED('direct'), quiet);
  const disagrees = new ProviderWatch(db.database, BY_DEFAULT, quiet);
  await leaseOf('real');
  await disagrees.poll();
  await agrees.poll();
  assert.equal(agrees.sendingResumedMs, 0, 'another process can send in the meantime');
  await sql`truncate leases`.execute(db.database);
  await disagrees.poll();
  await agrees.poll();
  assert.equal(
    agrees.sendingResumedMs,
    0,
    'a restart of the only worker that can send is too short to count',
  );
  await pauseSending(db.database, new Date());
  await disagrees.poll();
  assert.equal(await readNotSendingSince(db.database), null, 'paused sending does not count as stopped');
  await resumeSending(db.database);
  await disagrees.poll();
  await sql`update settings set value = '2026-11-20T00:00:00.000Z' where name = 'provider_away_since'`.execute(
    db.database,
  );
  await agrees.poll();
  const { sendingResumedMs } = agrees;
  assert.ok(sendingResumedMs > 0);
  await agrees.poll();
  assert.equal(agrees.sendingResumedMs, sendingResumedMs);
});

test('a process may send only after its first check of the kind of provider, and logs a mismatch only once', async () => {
  await recordProviderKind(db.database, NAMED('direct'));
  const logged: unknown[] = [];
  const log = (fields: unknown) => void logged.push(fields);
  const watch = new ProviderWatch(db.database, BY_DEFAULT, { info: log, error: log });
  assert.equal(watch.maySend, false);
  await watch.poll();
  await watch.poll();
  assert.equal(watch.maySend, false);
  assert.deepEqual(logged, [{ reason: watch.reason }]);
  await change('sandbox');
  await watch.poll();
  assert.equal(watch.maySend, true);
});
