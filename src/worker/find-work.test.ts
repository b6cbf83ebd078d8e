// Runs in its own process: it changes the clock.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { eventually } from '../../test/support/eventually.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { Presence } from '../db/presence.ts';
import { SharedStatements } from '../db/shared-statements.ts';
import { newUuid } from '../model/ids.ts';
import { pauseSending } from '../queue/pause.ts';
import { findWork, type Work } from './find-work.ts';

const PATIENCE_MS = 5_000;
let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
afterEach(async () => {
  await sql`truncate queue, destinations, destination_holds, due_deliveries, webhook_replays, webhook_retries, drafts, domains, submission_recipients,
    leases, email_counts, email_segments, snoozed_messages cascade`.execute(db.database);
  await sql`delete from settings where name = 'sending_paused'`.execute(db.database);
});
after(() => db[Symbol.asyncDispose]());

const find = (living: readonly string[] | null = null): Promise<Work> =>
  findWork(new SharedStatements(db.database), living);

/** The names of the conditions that are true. */
async function findTrue(living: readonly string[] | null = null): Promise<string[]> {
  const work = await find(living);
  return Object.entries(work).flatMap(([name, value]) => (value === true ? [name] : []));
}

/** Inserts rows without the rows that they refer to. */
async function insert(statement: string): Promise<void> {
  await db.database.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql.raw(statement).execute(tx);
  });
}

const ID = `'0190a0c0-0000-7000-8000-000000000001'`;
/** A UUIDv7 of now. */
const NEW_ID = `(lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '70008000000000000001')::uuid`;
const queued = (nextAttemptAt: string, crashes = 0) => `
  insert into queue (project_id, email_id, recipient_index, stream, octets, address, next_attempt_at, crashes)
  values (${ID}, ${ID}, 0, 'transactional', 1, 'a@b.example', ${nextAttemptAt}, ${crashes})`;
const destination = (nextAttemptAt: string) => `
  insert into destinations (name, failures, next_attempt_at) values ('b.example', 1, ${nextAttemptAt})`;
const delivery = (nextAttemptAt: string) => `
  insert into due_deliveries (project_id, webhook_id, id, event_id, email_id, type, next_attempt_at)
  values (${ID}, ${ID}, ${ID}, ${ID}, ${ID}, 'email.sent', ${nextAttemptAt})`;
const replay = (endedAt: string) => `
  insert into webhook_replays (project_id, webhook_id, id, from_id, until_id, after_id, total, ended_at, ended_by)
  values (${ID}, ${ID}, ${ID}, ${ID}, ${ID}, ${ID}, 1, ${endedAt}, case when ${endedAt} is not null then 'done' end)`;
const retry = (endedAt: string) => `
  insert into webhook_retries (project_id, webhook_id, started_at, after_at, after_event_id, total, ended_at, ended_by)
  values (${ID}, ${ID}, now(), now(), ${ID}, 1, ${endedAt}, case when ${endedAt} is not null then 'done' end)`;
const draft = (sendsAt: string) => `
  insert into drafts (project_id, mailbox_id, id, client, content, uploads, saved_at, sends_at)
  values (${ID}, ${ID}, ${ID}, 'c', '{}', '{}', now(), ${sendsAt})`;
const snooze = (until: string, wokenAt = 'null') => `
  insert into snoozed_messages (project_id, mailbox_id, object_id, folder_id, return_folder_id, until, received_at, woken_at)
  values (${ID}, ${ID}, ${ID}, ${ID}, ${ID}, ${until}, now(), ${wokenAt})`;
const domain = (nextCheckAt: string) => `
  insert into domains (project_id, id, name, status, created_at, next_check_at)
  values (${ID}, ${ID}, 'b.example', 'pending', now(), ${nextCheckAt})`;
const recipient = (id: string, columns: string, values: string) => `
  insert into submission_recipients (project_id, submission_id, recipient_index, address, notify, ${columns})
  values (${ID}, ${id}, 0, 'a@b.example', 4, ${values})`;
const lease = (heartbeatAt: string, processId: string) => `
  insert into leases (lease_id, heartbeat_at, name, holds, process_id)
  values (${ID}, ${heartbeatAt}, 'test', 'recipients', ${processId})`;
const counted = (nextAt: string) => `
  insert into email_counts (project_id, hour, emails, recipients, delivered, opened, clicked, failed, bounced, complained, counted_at,
    next_at, metrics_at)
  values (${ID}, date_trunc('hour', now()), 1, 1, 1, 0, 0, 0, 0, 0, now(), ${nextAt}, now())`;
const segment = (ids: string) => `
  insert into email_segments (project_id, after_id, last_id, documents, ids) values (${ID}, ${ID}, ${ID}, 1, ${ids})`;

const LATER = `now() + interval '1 hour'`;
const NOW = 'now()';

test('an installation without work has no work', async () => {
  assert.deepEqual(await findTrue([]), []);
});

for (const [what, statement] of Object.entries({
  'a recipient that is due later': queued(LATER),
  'a parked recipient': queued(`'infinity'`),
  'a destination that is probed later': destination(LATER),
  'a webhook delivery that is due later': delivery(LATER),
  'a replay that has ended': replay(NOW),
  'a retry of pending deliveries that has ended': retry(NOW),
  'a draft that is not sent': draft('null'),
  'a message that is sent later': draft(LATER),
  'a message that is snoozed': snooze(LATER),
  'a message that was snoozed': snooze(`now() - interval '1 day'`, NOW),
  'a domain that is checked later': domain(LATER),
  'mail that may still be delivered in time': recipient(NEW_ID, 'notice_due', 'false'),
  'mail that was rejected long ago': recipient(ID, 'outcome, ended_at', `'failed', now() - interval '1 day'`),
  'a lease of a process that sends heartbeats': lease(NOW, 'null'),
  'an hour that is counted later': counted(LATER),
  'a segment with words': segment(`'\\x'`),
})) {
  test(`${what} is no work`, async () => {
    await insert(statement);
    assert.deepEqual(await findTrue([]), []);
  });
}

for (const [what, [condition, statement]] of Object.entries({
  'a due recipient': ['hasDueRows', queued(NOW)],
  'a due destination': ['hasDueDestinations', destination(NOW)],
  'a due webhook delivery': ['hasDueWebhooks', delivery(NOW)],
  'a webhook delivery that is due before the next poll': [
    'hasDueWebhooks',
    delivery(`now() + interval '500 ms'`),
  ],
  'a replay in progress': ['hasReplays', replay('null')],
  'a retry of pending deliveries in progress': ['hasReplays', retry('null')],
  'a message that is to be sent now': ['hasDueMessages', draft(`now() - interval '1 second'`)],
  'a message whose snooze has ended': ['hasDueSnoozes', snooze(`now() - interval '1 second'`)],
  'a domain whose records are due for a check': ['hasDueDomains', domain(`now() - interval '1 second'`)],
  'mail whose outcome is to be reported': [
    'hasDueNotices',
    recipient(ID, 'outcome, ended_at, notice_due', `'delivered', now() - interval '1 day', true`),
  ],
  'mail that has waited for hours': ['hasDueNotices', recipient(ID, 'notice_due', 'false')],
  'mail that was just rejected': ['hasRejectedMail', recipient(ID, 'outcome, ended_at', `'failed', now()`)],
  'a lease of a process that is dead': ['hasDeadClaims', lease(NOW, ID)],
  'a lease without heartbeats': ['hasExpiredLeases', lease(`now() - interval '1 hour'`, 'null')],
  'an hour that is due for a count': ['hasDueCounts', counted(NOW)],
  'a segment that lost its words': ['hasOpenSegments', segment('null')],
} satisfies Record<string, [keyof Work, string]>)) {
  test(`${what} is work`, async () => {
    await insert(statement);
    assert.deepEqual(await findTrue([]), [condition]);
  });
}

test('a due recipient with two crashes is work for an isolated retry', async () => {
  await insert(queued(NOW, 2));
  assert.ok((await find()).hasDuePoison);
});

test('a due destination is no work while it is paused', async () => {
  await insert(destination(NOW));
  await insert(`insert into destination_holds (domain, held_at) values ('b.example', now())`);
  assert.deepEqual(await findTrue(), []);
  assert.deepEqual((await find()).holds, [{ domain: 'b.example', resumedMs: null }]);
});

test('no process counts as dead while the living processes are unknown', async () => {
  await insert(lease(NOW, ID));
  assert.deepEqual(await findTrue(null), []);
});

test('the poll and the heartbeats of a process share statements', async () => {
  const faults: unknown[] = [];
  const beats = new Set<number>();
  let [sent, polls] = [0, 0];
  const counting = db.database.withPlugin({
    transformQuery({ node }) {
      sent += 1;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  const shared = new SharedStatements(counting, { onFault: (error) => faults.push(error) });
  await using _presence = await Presence.begin({
    database: db.database,
    shared,
    processId: newUuid(),
    name: 'worker-1',
    roles: ['worker'],
    deadIds: [],
    connections: () => 1,
    logger: pino({ enabled: false }),
    timings: { beatMs: 100, expiryMs: 7_000 },
  });
  const isShared = async () => {
    await findWork(shared, []);
    polls += 1;
    const { rows } = await sql<{ at: number }>`
      select extract(epoch from heartbeat_at)::float8 as at from processes`.execute(db.database);
    for (const { at } of rows) beats.add(at);
    return sent < polls + beats.size;
  };
  assert.ok(await eventually(isShared, PATIENCE_MS));
  assert.deepEqual(faults, []);
});

test('the settings that workers follow are returned with the work', async () => {
  const since = new Date('2026-11-20T15:04:05.123Z');
  await pauseSending(db.database, since);
  assert.equal((await find()).settings['sending_paused'], '2026-11-20T15:04:05.123Z asked');
});
