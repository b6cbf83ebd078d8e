/**
 * What code of before 0.2.0 leaves. It has what is due in `deliveries`, as the rows with the status `pending`, and an index of them,
 * `deliveries_due`. A delivery stands there or in `due_deliveries`, never in both, because whoever moves it does so in one statement. All of
 * this is over when migrations/0028-deliveries-are-written-once.sql has run.
 */
import { sql } from 'kysely';
import { type Database, sqlState } from '../../db/database.ts';
import { NIL_UUID } from '../../model/ids.ts';

/** Of one webhook, in one statement. */
const ROWS_EACH = 1_000;
const MAX_ROWS = 5_000;
const UNDEFINED_COLUMN = '42703';

/**
 * Takes over what that code has to deliver and is not at: what nobody has claimed, and what somebody has whose claim is over and
 * whose lease is gone.
 * @returns whether it may leave more. False: no such code lives, and none will.
 */
export async function takeOver(database: Database): Promise<boolean> {
  const { rows } = await sql<{ isOver: boolean }>`
    select to_regclass('deliveries_due') is null as is_over`.execute(database);
  if (rows[0]?.isOver === true) return false;
  try {
    await takeOverSome(database);
  } catch (error) {
    if (sqlState(error) !== UNDEFINED_COLUMN) throw error;
    return false;
  }
  return true;
}

async function takeOverSome(database: Database): Promise<void> {
  await sql`
    with recursive hop as (
      -- From webhook to webhook, as find-due.ts goes.
      select * from (
        select webhook_id from deliveries
        where status = 'pending' and webhook_id > ${NIL_UUID}
        order by webhook_id, next_attempt_at limit 1
      ) first
      union all
      select n.webhook_id
      from hop cross join lateral (
        select d.webhook_id from deliveries d
        where d.status = 'pending' and d.webhook_id > hop.webhook_id
        order by d.webhook_id, d.next_attempt_at limit 1
      ) n
    ), left_there as (
      select d.* from hop cross join lateral (
        select d.project_id, d.webhook_id, d.id from deliveries d
        where d.webhook_id = hop.webhook_id and d.status = 'pending'
          and (d.lease_id is null or d.next_attempt_at <= now() and not exists (select from leases where lease_id = d.lease_id))
        order by d.next_attempt_at limit ${ROWS_EACH}::int
        for no key update skip locked
      ) d
      limit ${MAX_ROWS}::int
    ), taken as (
      delete from deliveries d using left_there l
      where d.project_id = l.project_id and d.webhook_id = l.webhook_id and d.id = l.id
      returning d.*
    )
    insert into due_deliveries (project_id, webhook_id, id, event_id, email_id, type, attempts, max_attempts, next_attempt_at,
      last_attempt_at, http_status, error, duration_ms, response_body, response_truncated)
    select project_id, webhook_id, id, event_id, email_id, type, attempts, max_attempts, next_attempt_at,
      last_attempt_at, http_status, error, duration_ms, response_body, response_truncated
    from taken`.execute(database);
}
