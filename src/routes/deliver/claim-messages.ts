/** Claims due messages of routes, and releases those whose attempts did not begin, like `webhooks/deliver/claim-deliveries.ts`. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { ROUTE_KEEP_DAYS } from '../../model/routes.ts';
import { lockingLease } from '../../queue/fragments.ts';
import {
  ATTEMPT_KEY,
  ATTEMPTS,
  type AttemptKey,
  type ClaimTimings,
  DELIVERY_DEMANDS,
  type DeliveryDemand,
  HAS_KEY,
  type WebhookKey,
  WEBHOOKS,
} from '../../webhooks/deliver/claim-deliveries.ts';

const CLAIMED_MESSAGE = columnsOf({
  ...ATTEMPT_KEY.kinds,
  maxAttempts: 'int2',
  /** Always null: messages of a route need not be delivered one after the other. */
  emailId: 'uuid?',
});
export type ClaimedMessage = RowOf<typeof CLAIMED_MESSAGE>;

/** SQL: a message ends, and is deleted after its retention. */
export const EXPIRES = sql`expires_at = now() + ${sql.lit(ROUTE_KEEP_DAYS)} * interval '1 day'`;

/**
 * @param leaseId the lease of the caller, who has already written the outcome of every attempt whose claim has expired
 */
export async function claimMessages(
  database: Database,
  leaseId: string,
  demands: readonly DeliveryDemand[],
  { claimMs }: ClaimTimings,
): Promise<ClaimedMessage[]> {
  const lease = lockingLease(leaseId);
  const { rows } = await CLAIMED_MESSAGE.sql`
    with ${lease.sql}, due as (
      select d.project_id, d.id
      from ${DELIVERY_DEMANDS.from(demands)}
      join routes r on r.project_id = k.project_id and r.id = k.webhook_id and r.url is not null
      cross join lateral (
        select d.project_id, d.id from route_messages d
        where d.route_id = k.webhook_id and d.status = 'pending' and d.next_attempt_at <= now()
          and (d.lease_id is null or d.lease_id = ${leaseId} or not exists (select from leases where lease_id = d.lease_id))
        order by d.next_attempt_at, d.id
        limit k.most
        for no key update skip locked
      ) d
      where d.project_id = k.project_id
    )
    update route_messages d
    set attempts = d.attempts + 1, last_attempt_at = now(), lease_id = ${lease.name}.lease_id,
        next_attempt_at = now() + ${claimMs}::int * interval '1 millisecond'
    from ${lease.name}, due k
    where ${HAS_KEY}
    returning d.project_id, d.route_id as webhook_id, d.id, d.attempts as attempt, d.max_attempts, null::uuid as email_id`.execute(
    database,
  );
  const spent = rows.filter(({ attempt, maxAttempts }) => attempt > maxAttempts);
  if (spent.length > 0) await failSpent(database, spent);
  return rows
    .filter(({ attempt, maxAttempts }) => attempt <= maxAttempts)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Marks messages as failed whose worker died in the last attempt. */
async function failSpent(database: Database, spent: readonly AttemptKey[]): Promise<void> {
  await sql`
    with ${lockingAttempts(spent)}
    update route_messages d
    set status = 'failed', attempts = d.max_attempts, lease_id = null, error = 'the sender stopped during the attempt', ${EXPIRES}
    from mine k where ${HAS_KEY}`.execute(database);
}

/** Makes messages due again as if they had not been claimed. @param delayMs the time until they are due */
export async function releaseMessages(
  database: Database,
  attempts: readonly AttemptKey[],
  delayMs = 0,
): Promise<void> {
  if (attempts.length === 0) return;
  await sql`
    with ${lockingAttempts(attempts)}
    update route_messages d
    set attempts = d.attempts - 1, next_attempt_at = now() + ${delayMs}::int * interval '1 millisecond', lease_id = null,
        last_attempt_at = case when d.attempts > 1 then d.last_attempt_at end
    from mine k where ${HAS_KEY}`.execute(database);
}

/** The CTE `mine`, which locks the rows of attempts that are still claimed. */
function lockingAttempts(attempts: readonly AttemptKey[]): RawBuilder<unknown> {
  return sql`
    mine as (
      select d.project_id, d.id from ${ATTEMPTS.from(attempts)}
      cross join lateral (
        select d.project_id, d.id from route_messages d
        where d.id = k.id and d.project_id = k.project_id and d.attempts = k.attempt and d.status = 'pending'
        for no key update skip locked
      ) d
    )`;
}

const MAX_ROWS = 5_000;

/**
 * Ends the pending messages of routes to which nothing is sent. The messages of a route without a URL are stored for programs that fetch
 * them. Those of a deleted route are deleted later.
 */
export async function endUnsendable(database: Database, routes: readonly WebhookKey[]): Promise<void> {
  await sql`
    with stranded as (
      select d.project_id, d.id, r.id is not null as remains
      from ${WEBHOOKS.from(routes)}
      left join routes r on r.project_id = k.project_id and r.id = k.webhook_id
      cross join lateral (
        select d.project_id, d.id from route_messages d
        where d.project_id = k.project_id and d.route_id = k.webhook_id and d.status = 'pending'
        limit ${MAX_ROWS}::int
        for no key update skip locked
      ) d
      where r.url is null
      limit ${MAX_ROWS}::int
    )
    update route_messages d set status = case when k.remains then 'stored' else 'failed' end, lease_id = null, ${EXPIRES}
    from stranded k where ${HAS_KEY}`.execute(database);
}
