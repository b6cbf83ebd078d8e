/**
 * The queue of code of before 0.2.0: columns of `email_recipients`, which nobody else looks at. What that code leaves there is taken over as
 * soon as no worker holds it: what it accepted, put off or parked, what waited when the first worker of this code began, and what a backup of
 * that time has. A recipient stands in one of the two queues, never in both, because whoever moves it writes both in one statement. Of
 * code of now that code only sees the leases, and may end those: what they held here is taken back too. All of this is over when
 * migrations/0029-recipients-are-written-once.sql has run.
 */
import { sql } from 'kysely';
import { uuidArray } from '../db/arrays.ts';
import { type Database, type DatabaseTransaction, sqlState } from '../db/database.ts';
import { NIL_UUID } from '../model/ids.ts';
import { MAX_CRASHES, type OnGivenUp, takeBack } from './end-lease.ts';
import type { RowKey } from './fragments.ts';

/** Rows that are moved in a statement: some ten milliseconds. */
const BATCH_ROWS = 1_000;
const UNDEFINED_COLUMN = '42703';

/** Whether code of before may work on this database. While a transaction has a lock on `email_recipients` this stays as it is. */
async function mayOlderCodeLive(database: Database): Promise<boolean> {
  const { rows } = await sql`
    select from pg_attribute
    where attrelid = 'email_recipients'::regclass and attname = 'next_attempt_at' and not attisdropped`.execute(
    database,
  );
  return rows.length > 0;
}

/** The two kinds of rows that wait there, each in the order of its index: else PostgreSQL would read the whole table. */
const WAITING = [
  { which: sql`next_attempt_at < 'infinity'`, order: sql`project_id, stream, next_attempt_at` },
  {
    which: sql`next_attempt_at = 'infinity'`,
    order: sql`destination, project_id, stream, email_id, recipient_index`,
  },
];

/** Takes over what code of before left, for as long as it may live. */
export class OlderCode {
  readonly #database: Database;
  readonly #onGivenUp: OnGivenUp;
  #mayLive: boolean | null = null;

  constructor(database: Database, onGivenUp: OnGivenUp) {
    this.#database = database;
    this.#onGivenUp = onGivenUp;
  }

  /**
   * One batch of each kind.
   * @returns whether there may be more
   */
  async takeOver(): Promise<boolean> {
    if (this.#mayLive === false) return false;
    try {
      this.#mayLive ??= await mayOlderCodeLive(this.#database);
      return this.#mayLive && (await takeOverSome(this.#database, this.#onGivenUp));
    } catch (error) {
      if (sqlState(error) !== UNDEFINED_COLUMN) throw error;
      this.#mayLive = false;
      return false;
    }
  }
}

/** All that no worker of before holds. For commands: no worker may be there to do it. */
export async function takeOverAll(database: Database, onGivenUp: OnGivenUp): Promise<void> {
  const older = new OlderCode(database, onGivenUp);
  while (await older.takeOver());
}

async function takeOverSome(database: Database, onGivenUp: OnGivenUp): Promise<boolean> {
  await endOrphans(database, onGivenUp);
  let isMore = false;
  for (const { which, order } of WAITING) {
    const { numAffectedRows } = await moving(
      sql`${which} and lease_id is null order by ${order} limit ${sql.lit(BATCH_ROWS)}`,
    ).execute(database);
    isMore ||= Number(numAffectedRows ?? 0n) === BATCH_ROWS;
  }
  return isMore;
}

/** @param which of the rows that no worker holds */
function moving(which: ReturnType<typeof sql>) {
  return sql`
    with waiting as (
      select project_id, email_id, recipient_index, stream, address, octets, attempts, crashes, next_attempt_at, destination
      from email_recipients where ${which}
      for no key update skip locked
    ), moved as (
      update email_recipients r set next_attempt_at = null, destination = null, crashes = 0
      from waiting w
      where r.project_id = w.project_id and r.email_id = w.email_id and r.recipient_index = w.recipient_index
      returning w.*
    )
    insert into queue (project_id, email_id, recipient_index, stream, address, octets, attempts, crashes, next_attempt_at, destination)
    select project_id, email_id, recipient_index, stream, address, octets, attempts, crashes, next_attempt_at, destination from moved
    on conflict do nothing`;
}

/**
 * What is held under leases that are over is nobody's: each code takes back what was held in its own queue alone. A lease that is over never
 * begins again, and nothing is written under it.
 */
async function endOrphans(database: Database, onGivenUp: OnGivenUp): Promise<void> {
  for (const leaseId of await orphansIn(database, 'email_recipients'))
    await database.transaction().execute((tx) => free(tx, leaseId, onGivenUp));
  for (const leaseId of await orphansIn(database, 'queue'))
    await database.transaction().execute((tx) => takeBack(tx, leaseId, true, onGivenUp));
}

/** The leases that rows are held under and that are over. From lease to lease: else PostgreSQL may read the whole table. */
async function orphansIn(database: Database, table: 'email_recipients' | 'queue'): Promise<string[]> {
  const { rows } = await sql<{ leaseId: string }>`
    with recursive held as (
      select ${NIL_UUID}::uuid as lease_id
      union all
      select next.lease_id from held, lateral (
        select lease_id from ${sql.table(table)} where lease_id > held.lease_id order by lease_id limit 1
      ) next
    )
    select lease_id from held
    where lease_id <> ${NIL_UUID} and not exists (select from leases l where l.lease_id = held.lease_id)`.execute(
    database,
  );
  return rows.map(({ leaseId }) => leaseId);
}

/** As that code does where it ends the lease itself. */
async function free(tx: DatabaseTransaction, leaseId: string, onGivenUp: OnGivenUp): Promise<void> {
  const { rows } = await sql<RowKey & { address: string; crashes: number }>`
    update email_recipients
    set lease_id = null, in_flight = false, crashes = crashes + in_flight::int,
        next_attempt_at = case when in_flight and crashes + 1 >= ${MAX_CRASHES} then null else next_attempt_at end
    where lease_id = ${leaseId}
    returning project_id, email_id, recipient_index, address, crashes`.execute(tx);
  const givenUp = rows.filter(({ crashes }) => crashes >= MAX_CRASHES);
  if (givenUp.length > 0) await onGivenUp(tx, givenUp);
}

/**
 * Takes over what waits of these emails, whose recipients the caller has locked.
 * @returns the keys of those that workers of before hold
 */
export async function takeOverEmails(
  tx: DatabaseTransaction,
  projectId: string,
  emailIds: readonly string[],
): Promise<Pick<RowKey, 'emailId' | 'recipientIndex'>[]> {
  if (!(await mayOlderCodeLive(tx))) return [];
  const ofEmails = sql`project_id = ${projectId} and email_id = any(${uuidArray(emailIds)}::uuid[])`;
  await moving(sql`${ofEmails} and next_attempt_at is not null and lease_id is null`).execute(tx);
  const { rows } = await sql<RowKey>`
    select email_id, recipient_index from email_recipients where ${ofEmails} and lease_id is not null`.execute(
    tx,
  );
  return rows;
}

/** The first email before an id that something waits for there, or is held; null: none. */
export async function firstOfOlderCode(database: Database, before: string): Promise<string | null> {
  if (!(await mayOlderCodeLive(database))) return null;
  const { rows } = await sql<{ emailId: string }>`
    select email_id from (
      select email_id from email_recipients where email_id < ${before} and next_attempt_at < 'infinity'
      union all
      select email_id from email_recipients where email_id < ${before} and next_attempt_at = 'infinity'
      offset 0
    ) work order by email_id limit 1`.execute(database);
  return rows[0]?.emailId ?? null;
}
