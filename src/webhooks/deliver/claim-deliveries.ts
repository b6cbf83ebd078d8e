/** Claims due deliveries and releases deliveries whose attempts did not begin. */
import { type RawBuilder, sql } from 'kysely';
import { cte } from '../../db/cte.ts';
import type { Database } from '../../db/database.ts';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import { type Columns, rowsOf } from '../../db/rows.ts';
import type { EventKey } from '../../model/event-keys.ts';
import { lockingLease } from '../../queue/fragments.ts';
import { loggingFailed } from '../logging-failed.ts';
import { TIMINGS } from './timings.ts';

/** Columns of statements that return the key of a webhook. */
export const WEBHOOK_KEY = columnsOf({ projectId: 'uuid', webhookId: 'uuid' });
export type WebhookKey = RowOf<typeof WEBHOOK_KEY>;

export const ATTEMPT_KEY = columnsOf({
  ...WEBHOOK_KEY.kinds,
  id: 'uuid',
  /** The number of the attempt, from 1. */
  attempt: 'int2',
});
/** An attempt at a delivery. Every write checks the number of the attempt, so that a late worker writes nothing. */
export type AttemptKey = RowOf<typeof ATTEMPT_KEY>;

const WEBHOOK_COLUMNS = {
  project_id: ['uuid', (key: WebhookKey) => key.projectId],
  webhook_id: ['uuid', (key: WebhookKey) => key.webhookId],
} as const satisfies Columns<WebhookKey>;

/** Keys of webhooks, as a relation with the alias `k`. */
export const WEBHOOKS = rowsOf<WebhookKey>('k', WEBHOOK_COLUMNS);

export const ATTEMPT_COLUMNS = {
  ...WEBHOOK_COLUMNS,
  id: ['uuid', (key: AttemptKey) => key.id],
  attempt: ['int2', (key: AttemptKey) => key.attempt],
} as const satisfies Columns<AttemptKey>;

/** Keys of attempts, as a relation with the alias `k`. */
export const ATTEMPTS = rowsOf<AttemptKey>('k', ATTEMPT_COLUMNS);

const CLAIMED_DELIVERY = columnsOf({
  ...ATTEMPT_KEY.kinds,
  maxAttempts: 'int2',
  eventId: 'uuid',
  emailId: 'uuid?',
  type: shaped<EventKey>('text'),
});
export type ClaimedDelivery = RowOf<typeof CLAIMED_DELIVERY>;

/** SQL: whether a row `d` of `due_deliveries` has the key `k` of a CTE. The reason for `any` is given at the queue's `HAS_KEY`. */
export const HAS_KEY = sql`d.project_id = any(array[k.project_id]) and d.id = k.id`;

/** The number of deliveries to claim for a webhook. */
export interface DeliveryDemand extends WebhookKey {
  limit: number;
}

/** Demands, as a relation with the alias `k`. */
export const DELIVERY_DEMANDS = rowsOf<DeliveryDemand>('k', {
  ...WEBHOOK_COLUMNS,
  most: ['int2', ({ limit }) => limit],
});

export type ClaimTimings = Pick<typeof TIMINGS, 'claimMs'>;

/**
 * Claims due deliveries of enabled webhooks: those that have been due longest first, and those that became due together in the order of
 * their events. Skips rows that another worker is claiming, and rows that belong to another live lease, whose worker may have a response
 * that is not written yet. The attempt is counted when the delivery is claimed, even if the worker then dies. If the worker dies in the
 * last attempt, the delivery fails.
 * @param leaseId the lease of the caller, who has already written the outcome of every attempt whose claim has expired
 */
export async function claimDeliveries(
  database: Database,
  leaseId: string,
  demands: readonly DeliveryDemand[],
  { claimMs }: ClaimTimings = TIMINGS,
): Promise<ClaimedDelivery[]> {
  const lease = lockingLease(leaseId);
  const { rows } = await CLAIMED_DELIVERY.sql`
    with ${lease.sql}, due as (
      select d.project_id, d.id
      from ${DELIVERY_DEMANDS.from(demands)}
      join webhooks w on w.project_id = k.project_id and w.id = k.webhook_id and w.enabled
      cross join lateral (
        select d.project_id, d.id from due_deliveries d
        where d.webhook_id = k.webhook_id and d.next_attempt_at <= now()
          -- The caller's own rows: the response to the claim was lost, or the deliveries could not be released.
          and (d.lease_id is null or d.lease_id = ${leaseId} or not exists (select from leases where lease_id = d.lease_id))
        -- The events of one commit are due at the same moment, so order them by id.
        order by d.next_attempt_at, d.event_id
        limit k.most
        for no key update skip locked
      ) d
      -- Not inside the subquery: PostgreSQL would expect hardly any rows, and sort all of them.
      where d.project_id = k.project_id
    )
    update due_deliveries d
    set attempts = d.attempts + 1, last_attempt_at = now(), lease_id = ${lease.name}.lease_id,
        next_attempt_at = now() + ${claimMs}::int * interval '1 millisecond'
    from ${lease.name}, due k
    where ${HAS_KEY}
    returning d.project_id, d.webhook_id, d.id, d.attempts as attempt, d.max_attempts, d.event_id, d.email_id, d.type`.execute(
    database,
  );
  const spent = rows.filter(({ attempt, maxAttempts }) => attempt > maxAttempts);
  if (spent.length > 0) await failSpent(database, spent);
  return rows
    .filter(({ attempt, maxAttempts }) => attempt <= maxAttempts)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * Marks deliveries as failed whose worker died in the last attempt. If this function is interrupted, the deliveries that are left stay
 * claimed, and a later claim finds them again.
 */
async function failSpent(database: Database, spent: readonly AttemptKey[]): Promise<void> {
  const over = cte(
    'over_now',
    sql`delete from due_deliveries d using mine k where ${HAS_KEY} returning d.*`,
    lockingAttempts(spent),
  );
  await sql`
    with ${over.sql} ${loggingFailed(over, sql`'the sender stopped during the attempt'`)}`.execute(database);
}

/** Makes deliveries due again as if they had not been claimed. Rows that another worker has claimed in the meantime are not changed. */
export async function releaseClaims(database: Database, attempts: readonly AttemptKey[]): Promise<void> {
  if (attempts.length === 0) return;
  await sql`
    with ${lockingAttempts(attempts)}
    update due_deliveries d
    set attempts = d.attempts - 1, next_attempt_at = now(), lease_id = null,
        last_attempt_at = case when d.attempts > 1 then d.last_attempt_at end
    from mine k where ${HAS_KEY}`.execute(database);
}

/**
 * The CTE `mine`, which locks the rows of attempts. Rows that another transaction has locked are skipped, because that transaction is
 * disabling the webhook and marks them as failed.
 */
function lockingAttempts(attempts: readonly AttemptKey[]): RawBuilder<unknown> {
  return sql`
    mine as (
      select d.project_id, d.id from ${ATTEMPTS.from(attempts)}
      cross join lateral (
        select d.project_id, d.id from due_deliveries d where d.id = k.id and d.project_id = k.project_id and d.attempts = k.attempt
        for no key update skip locked
      ) d
    )`;
}
