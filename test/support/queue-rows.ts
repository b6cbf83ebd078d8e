/** Reads and writes rows of the queue for tests, so that a change to the tables affects only this file. */
import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../../src/db/database.ts';
import { retryingConflicts } from '../../src/db/retry.ts';
import type { QueueStream } from '../../src/model/streams.ts';
import { claimDue, type ClaimedRow } from '../../src/queue/claim.ts';

/** Selects rows of the queue. Default: all rows. */
export interface Which {
  address?: string;
  emailId?: string;
}

function matches({ address, emailId }: Which): RawBuilder<boolean> {
  return sql`(${address ?? null}::text is null or address = ${address ?? null})
    and (${emailId ?? null}::uuid is null or email_id = ${emailId ?? null})`;
}

/** Removes every email and submission with its events and recipients, and the related state of workers, destinations and webhooks. */
export async function emptyQueue(database: Database): Promise<void> {
  // A worker that was just stopped may still run a statement.
  await retryingConflicts(() =>
    sql`
      truncate queue, email_recipients, emails, email_contents, events, leases, destinations, suppressions, deliveries, due_deliveries,
        submissions, submission_recipients, submission_keys`.execute(database),
  );
}

/** All recipients, each with its row in the queue. */
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

/** The recipients in the order of the email. Columns of the queue are null if no work is pending. */
export function rowsOf(database: Database, { address, emailId }: Which = {}) {
  let found = recipients(database).orderBy('r.recipientIndex');
  if (address !== undefined) found = found.where('r.address', '=', address);
  if (emailId !== undefined) found = found.where('r.emailId', '=', emailId);
  return found.execute();
}

/** The recipient with an address. @throws if no recipient has the address */
export function rowOf(database: Database, address: string) {
  return recipients(database).where('r.address', '=', address).executeTakeFirstOrThrow();
}

/** Claims due rows, as a first claim. */
export async function claimRows(database: Database, leaseId: string, limit: number): Promise<ClaimedRow[]> {
  return (await claimDue(database, leaseId, limit)).rows;
}

/** Makes the rows due after the interval `by`. @param by a PostgreSQL interval, negative for a time in the past */
export async function setDue(database: Database, by: string, which: Which = {}): Promise<void> {
  await sql`update queue set next_attempt_at = now() + ${by}::interval where ${matches(which)}`.execute(
    database,
  );
}

/** Like `setDue`, for `count` of the due and unclaimed rows. @param by a PostgreSQL interval */
export async function setSomeDue(database: Database, by: string, count: number): Promise<void> {
  await sql`
    update queue set next_attempt_at = now() + ${by}::interval
    where (project_id, email_id, recipient_index) in (
      select project_id, email_id, recipient_index from queue
      where next_attempt_at <= now() and lease_id is null limit ${count}
    )`.execute(database);
}

export async function setStream(database: Database, stream: QueueStream): Promise<void> {
  await sql`update queue set stream = ${stream}`.execute(database);
}

/** Makes all rows due earlier, as if the time `by` had passed. @param by a PostgreSQL interval */
export async function passTime(database: Database, by: string): Promise<void> {
  await sql`update queue set next_attempt_at = next_attempt_at - ${by}::interval`.execute(database);
}

/** Parks rows for the destination, except rows that are already parked. */
export async function park(database: Database, destination: string, which: Which = {}): Promise<void> {
  await sql`
    update queue set next_attempt_at = 'infinity', destination = ${destination}
    where destination is null and ${matches(which)}`.execute(database);
}

/** Defers rows after a first attempt, for an hour. */
export async function deferRows(database: Database, which: Which): Promise<void> {
  await sql`update queue set attempts = 1 where ${matches(which)}`.execute(database);
  await setDue(database, '1 hour', which);
}

export async function setCrashes(database: Database, crashes: number, which: Which = {}): Promise<void> {
  for (const table of ['queue', 'email_recipients'])
    await sql`update ${sql.table(table)} set crashes = ${crashes} where ${matches(which)}`.execute(database);
}

/** Sets the message size of the rows. */
export async function setOctets(database: Database, octets: number, which: Which = {}): Promise<void> {
  await sql`update queue set octets = ${octets} where ${matches(which)}`.execute(database);
}

/** Ends all pending work of the rows. */
export async function deleteRows(database: Database, which: Which): Promise<void> {
  await sql`delete from queue where ${matches(which)}`.execute(database);
}

/** Sets the email id of all rows, and thereby their age. */
export async function setEmailId(database: Database, emailId: string): Promise<void> {
  await sql`update queue set email_id = ${emailId}`.execute(database);
}

export async function lockRow(tx: DatabaseTransaction, address: string): Promise<void> {
  await sql`select from queue where address = ${address} for update`.execute(tx);
}

/** Whether any recipient has pending work. */
export async function hasWork(database: Database): Promise<boolean> {
  const { rows } = await sql`select from queue limit 1`.execute(database);
  return rows.length > 0;
}

/** Whether workers have no work at the moment: no row is due or claimed, and no destination is due, has a backlog or is being probed. */
export async function isAtRest(database: Database): Promise<boolean> {
  const { rows } = await sql<{ isBusy: boolean }>`
    select exists (select from queue where next_attempt_at <= now() or lease_id is not null) or exists (
      select from destinations d
      where (failures = 0 or next_attempt_at <= now() or next_attempt_at between now() + interval '14 minutes' and now() + interval '15 minutes')
        and (name = domain or not exists (select from destinations where name = d.domain and failures > 0))
    ) as is_busy`.execute(database);
  return rows[0]?.isBusy === false;
}

/** The number of parked rows, and the number of orphans: parked rows whose destination is not in `destinations`. */
export async function parkedRows(database: Database): Promise<{ parked: number; orphans: number }> {
  const { rows } = await sql<{ parked: number; orphans: number }>`
    select count(*)::int as parked,
           count(*) filter (where destination not in (select name from destinations))::int as orphans
    from queue where next_attempt_at = 'infinity'`.execute(database);
  return rows[0] ?? { parked: 0, orphans: 0 };
}

export function destinationRow(database: Database, name: string) {
  return database.selectFrom('destinations').selectAll().where('name', '=', name).executeTakeFirst();
}

/** Adds due destinations with a backlog. */
export async function addBacklogs(database: Database, names: readonly string[]): Promise<void> {
  await sql`insert into destinations (name, failures, next_attempt_at) select unnest(${names}::text[]), 0, now()`.execute(
    database,
  );
}

/** Makes one destination or all destinations due. */
export async function makeDestinationsDue(database: Database, name: string | null = null): Promise<void> {
  await sql`
    update destinations set next_attempt_at = now() - interval '1 second'
    where ${name}::text is null or name = ${name}`.execute(database);
}

/** Sets the time since which a destination has been failing. @param since a negative PostgreSQL interval, added to the current time */
export async function setFailingSince(database: Database, name: string, since: string): Promise<void> {
  await sql`update destinations set failing_since = now() + ${since}::interval where name = ${name}`.execute(
    database,
  );
}

/** Marks all destinations as working and due, like another worker after a successful attempt. */
export async function openDestinations(database: Database): Promise<void> {
  await sql`update destinations set failures = 0, next_attempt_at = now()`.execute(database);
}

export async function leaseIds(database: Database): Promise<string[]> {
  const rows = await database.selectFrom('leases').select('leaseId').execute();
  return rows.map(({ leaseId }) => leaseId);
}

/** Makes the heartbeat of the lease, or of all leases, so old that the lease has expired. */
export async function silenceWorkers(database: Database, leaseId: string | null = null): Promise<void> {
  await sql`
    update leases set heartbeat_at = now() - interval '31 seconds'
    where ${leaseId}::uuid is null or lease_id = ${leaseId}`.execute(database);
}
