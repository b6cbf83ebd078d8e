/**
 * Recipients that a server put off, each until a try of its own (docs/delivery.md, Retries): their destination is open, so they are not parked and
 * nothing else knows of them. No index finds them by domain: whoever looks goes through the queue, and no further than the bound.
 */
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { HAS_KEY, IS_LATER, keysOf, ROW_KEY, type RowKey } from './fragments.ts';

/** Rows of the queue that are looked at for operators: about 0.3 s. */
export const MAX_LOOKED_AT = 200_000;
const MAX_FOUND = 10_000;

/** The domain to which the mail of a row of the queue goes. */
export const DOMAIN = sql<string>`coalesce(split_part(destination, ' ', 1), lower(split_part(address, '@', -1)))`;

/**
 * Condition of a row of the queue: it was tried, and waits for its next try. Not "< 'infinity'", which is the condition of the index of what is
 * due: where PostgreSQL counted when nothing was put off, it would take that index for a list of keys, and compare each row with all of them.
 */
export const IS_DEFERRED = sql<boolean>`
  (attempts > 0 and lease_id is null and next_attempt_at > now() and next_attempt_at <> 'infinity' and not ${IS_LATER})`;

/** Those that wait for a domain, the next ones first: no more than 10,000. */
export async function findDeferred(database: Database, domain: string): Promise<RowKey[]> {
  const { rows } = await ROW_KEY.sql`
    select project_id, email_id, recipient_index
    from (select * from queue where not ${IS_LATER} limit ${sql.lit(MAX_LOOKED_AT)}) q
    where ${IS_DEFERRED} and ${DOMAIN} = ${domain}
    order by next_attempt_at limit ${sql.lit(MAX_FOUND)}`.execute(database);
  return rows;
}

/**
 * They are due now, but for those that somebody has taken since.
 * @returns how many
 */
export async function tryPutOff(
  database: Database | DatabaseTransaction,
  rows: readonly RowKey[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const { numAffectedRows } = await sql`
    with those as (
      select r.project_id, r.email_id, r.recipient_index from ${keysOf(rows)}, queue r
      where ${HAS_KEY} and ${IS_DEFERRED}
      for no key update of r skip locked
    )
    update queue r set next_attempt_at = now() from those k where ${HAS_KEY}`.execute(database);
  return Number(numAffectedRows ?? 0n);
}
