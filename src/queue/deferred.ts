/**
 * Recipients that a server deferred, each with its own retry time (docs/delivery.md, Retries). Their destination accepts mail, so they are
 * not parked. No index finds them by domain, so queries scan a limited number of queue rows.
 */
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { HAS_KEY, IS_LATER, keysOf, ROW_KEY, type RowKey } from './fragments.ts';

/** The maximum number of queue rows that an operator's query scans. Scanning this many rows takes about 0.3 s. */
export const MAX_SCANNED = 200_000;
const MAX_FOUND = 10_000;

/** The recipient domain of a queue row. */
export const DOMAIN = sql<string>`coalesce(split_part(destination, ' ', 1), lower(split_part(address, '@', -1)))`;

/**
 * Condition on a queue row: the recipient was tried and waits for the next attempt. It says `<> 'infinity'` because `< 'infinity'` is the
 * predicate of the index on due rows: with statistics from a time when nothing was deferred, PostgreSQL would join that index with a list
 * of keys and compare each row with every key.
 */
export const IS_DEFERRED = sql<boolean>`
  (attempts > 0 and lease_id is null and next_attempt_at > now() and next_attempt_at <> 'infinity' and not ${IS_LATER})`;

/** At most 10,000 deferred rows of a domain, ordered by the time of the next attempt. */
export async function findDeferred(database: Database, domain: string): Promise<RowKey[]> {
  const { rows } = await ROW_KEY.sql`
    select project_id, email_id, recipient_index
    from (select * from queue where not ${IS_LATER} limit ${sql.lit(MAX_SCANNED)}) q
    where ${IS_DEFERRED} and ${DOMAIN} = ${domain}
    order by next_attempt_at limit ${sql.lit(MAX_FOUND)}`.execute(database);
  return rows;
}

/**
 * Makes deferred rows due now. Skips rows that a worker claimed in the meantime.
 * @returns the number of rows made due
 */
export async function makeDeferredDue(
  database: Database | DatabaseTransaction,
  rows: readonly RowKey[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const { numAffectedRows } = await sql`
    with locked as (
      select r.project_id, r.email_id, r.recipient_index from ${keysOf(rows)}, queue r
      where ${HAS_KEY} and ${IS_DEFERRED}
      for no key update of r skip locked
    )
    update queue r set next_attempt_at = now() from locked k where ${HAS_KEY}`.execute(database);
  return Number(numAffectedRows ?? 0n);
}
