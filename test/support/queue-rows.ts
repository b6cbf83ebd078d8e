/** Rows of the queue as tests set and read them: what a rebuilt table changes in tests stands here. */
import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../../src/db/database.ts';
import { retryingConflicts } from '../../src/db/retry.ts';
import type { QueueStream } from '../../src/model/streams.ts';
import { claimDue, type ClaimedRow } from '../../src/queue/claim.ts';

/** Which rows are meant; by default all. */
export interface Which {
  address?: string;
  emailId?: string;
}

function are({ address, emailId }: Which): RawBuilder<boolean> {
  return sql`(${address ?? null}::text is null or address = ${address ?? null})
    and (${emailId ?? null}::uuid is null or email_id = ${emailId ?? null})`;
}

/** Removes every email and submission, with its events and recipients, and what workers, destinations and webhooks have of them. */
export async function emptyQueue(database: Database): Promise<void> {
  // A worker that was just stopped may have a statement under way.
  await retryingConflicts(() =>
    sql`
      truncate queue, email_recipients, emails, email_contents, events, leases, destinations, suppressions, deliveries, due_deliveries,
        submissions, submission_recipients, submission_keys`.execute(database),
  );
}

/** Every recipient, with what the queue has of it. */
function recipients(database: Database) {
  return database
    .selectFrom('emailRecipients as r')
    .leftJoin('queue as q', (join) =>
      join
        .onRef('q.projectId', '=', 'r.projectId')
        .onRef('q.emailId', '=', 'r.emailId')
        .onRef('q.recipientIndex', '=', 'r.recipientIndex'),
    )
    .select([
      'r.projectId',
      'r.emailId',
      'r.recipientIndex',
      'r.address',
      'q.stream',
      'q.octets',
      'q.attempts',
    ])
    .select(['q.nextAttemptAt', 'q.leaseId', 'q.inFlight', 'q.destination'])
    .select(sql<number>`coalesce(q.crashes, r.crashes)`.as('crashes'));
}

/** The recipients, in the order of an email's. What the queue has of those for whom nothing is left to do is null. */
export function rowsOf(database: Database, { address, emailId }: Which = {}) {
  let found = recipients(database).orderBy('r.recipientIndex');
  if (address !== undefined) found = found.where('r.address', '=', address);
  if (emailId !== undefined) found = found.where('r.emailId', '=', emailId);
  return found.execute();
}

/** The recipient with an address. @throws when there is none */
export function rowOf(database: Database, address: string) {
  return recipients(database).where('r.address', '=', address).executeTakeFirstOrThrow();
}

/** Claims due rows, from the first turn on. */
export async function claimRows(database: Database, leaseId: string, limit: number): Promise<ClaimedRow[]> {
  return (await claimDue(database, leaseId, limit)).rows;
}

/** The rows are due when this much time has passed. @param by an interval of PostgreSQL */
export async function setDue(database: Database, by: string, which: Which = {}): Promise<void> {
  await sql`update queue set next_attempt_at = now() + ${by}::interval where ${are(which)}`.execute(database);
}

/** The same for so many of the rows that are due now and that no worker has. */
export async function setSomeDue(database: Database, by: string, count: number): Promise<void> {
  await sql`
    update queue set next_attempt_at = now() + ${by}::interval
    where (project_id, email_id, recipient_index) in (
      select project_id, email_id, recipient_index from queue
      where next_attempt_at <= now() and lease_id is null limit ${count}
    )`.execute(database);
}

/** As if all rows were of this stream. */
export async function setStream(database: Database, stream: QueueStream): Promise<void> {
  await sql`update queue set stream = ${stream}`.execute(database);
}

/** The time of all rows passes. */
export async function passTime(database: Database, by: string): Promise<void> {
  await sql`update queue set next_attempt_at = next_attempt_at - ${by}::interval`.execute(database);
}

/** Rows that do not wait for a destination yet wait for this one. */
export async function park(database: Database, destination: string, which: Which = {}): Promise<void> {
  await sql`
    update queue set next_attempt_at = 'infinity', destination = ${destination}
    where destination is null and ${are(which)}`.execute(database);
}

/** Their servers have answered "later": they wait for a try of their own, an hour from now. */
export async function putOff(database: Database, which: Which): Promise<void> {
  await sql`update queue set attempts = 1 where ${are(which)}`.execute(database);
  await setDue(database, '1 hour', which);
}

export async function setCrashes(database: Database, crashes: number, which: Which = {}): Promise<void> {
  for (const table of ['queue', 'email_recipients'])
    await sql`update ${sql.table(table)} set crashes = ${crashes} where ${are(which)}`.execute(database);
}

/** Sets the sizes of messages. */
export async function setOctets(database: Database, octets: number, which: Which = {}): Promise<void> {
  await sql`update queue set octets = ${octets} where ${are(which)}`.execute(database);
}

/** The rows have no work left. */
export async function giveUp(database: Database, which: Which): Promise<void> {
  await sql`delete from queue where ${are(which)}`.execute(database);
}

/** Every row is of the email with this id: as old as its id. */
export async function setEmailId(database: Database, emailId: string): Promise<void> {
  await sql`update queue set email_id = ${emailId}`.execute(database);
}

export async function lockRow(tx: DatabaseTransaction, address: string): Promise<void> {
  await sql`select from queue where address = ${address} for update`.execute(tx);
}

/** Whether anything is left to do for any recipient. */
export async function hasWork(database: Database): Promise<boolean> {
  const { rows } = await sql`select from queue limit 1`.execute(database);
  return rows.length > 0;
}

/** Whether nothing is left to do before time passes: no row, no backlog, no destination that is due or being probed. */
export async function isAtRest(database: Database): Promise<boolean> {
  const { rows } = await sql<{ isBusy: boolean }>`
    select exists (select from queue where next_attempt_at <= now() or lease_id is not null) or exists (
      select from destinations d
      where (failures = 0 or next_attempt_at <= now() or next_attempt_at between now() + interval '14 minutes' and now() + interval '15 minutes')
        and (name = domain or not exists (select from destinations where name = d.domain and failures > 0))
    ) as is_busy`.execute(database);
  return rows[0]?.isBusy === false;
}

/** How many rows wait for a destination, and how many of them for one of which nobody knows. */
export async function parkedRows(database: Database): Promise<{ parked: number; orphans: number }> {
  const { rows } = await sql<{ parked: number; orphans: number }>`
    select count(*)::int as parked,
           count(*) filter (where destination not in (select name from destinations))::int as orphans
    from queue where next_attempt_at = 'infinity'`.execute(database);
  return rows[0] ?? { parked: 0, orphans: 0 };
}

/** What is stored of a destination, if anything. */
export function destinationRow(database: Database, name: string) {
  return database.selectFrom('destinations').selectAll().where('name', '=', name).executeTakeFirst();
}

/** Destinations with a backlog, that are due. */
export async function addBacklogs(database: Database, names: readonly string[]): Promise<void> {
  await sql`insert into destinations (name, failures, next_attempt_at) select unnest(${names}::text[]), 0, now()`.execute(
    database,
  );
}

/** The time of a destination, or of all of them, has come. */
export async function makeDestinationsDue(database: Database, name: string | null = null): Promise<void> {
  await sql`
    update destinations set next_attempt_at = now() - interval '1 second'
    where ${name}::text is null or name = ${name}`.execute(database);
}

/** The destination has failed since then. @param since an interval of PostgreSQL */
export async function setFailingSince(database: Database, name: string, since: string): Promise<void> {
  await sql`update destinations set failing_since = now() + ${since}::interval where name = ${name}`.execute(
    database,
  );
}

/** Another worker found that all destinations take mail. */
export async function openDestinations(database: Database): Promise<void> {
  await sql`update destinations set failures = 0, next_attempt_at = now()`.execute(database);
}

/** The ids of the leases that there are. */
export async function leaseIds(database: Database): Promise<string[]> {
  const rows = await database.selectFrom('leases').select('leaseId').execute();
  return rows.map(({ leaseId }) => leaseId);
}

/** The workers of the lease, or of all leases, were last heard of longer ago than a lease holds. */
export async function silenceWorkers(database: Database, leaseId: string | null = null): Promise<void> {
  await sql`
    update leases set heartbeat_at = now() - interval '31 seconds'
    where ${leaseId}::uuid is null or lease_id = ${leaseId}`.execute(database);
}
