/** Taking due deliveries, and giving back those that were not begun. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { type Columns, rowsOf } from '../../db/rows.ts';
import type { EventKey } from '../../model/event-keys.ts';
import { lockingLease } from '../../queue/fragments.ts';
import { TIMINGS } from './timings.ts';

export interface WebhookKey {
  projectId: string;
  webhookId: string;
}

/** An attempt at a delivery. Every write asks for its number, so a late worker writes nothing. */
export interface AttemptKey extends WebhookKey {
  id: string;
  /** From 1. */
  attempt: number;
}

const WEBHOOK_COLUMNS = {
  project_id: ['uuid', (key: WebhookKey) => key.projectId],
  webhook_id: ['uuid', (key: WebhookKey) => key.webhookId],
} as const satisfies Columns<WebhookKey>;

/** The keys of webhooks, as `k`. */
export const WEBHOOKS = rowsOf<WebhookKey>('k', WEBHOOK_COLUMNS);

export const ATTEMPT_COLUMNS = {
  ...WEBHOOK_COLUMNS,
  id: ['uuid', (key: AttemptKey) => key.id],
  attempt: ['int2', (key: AttemptKey) => key.attempt],
} as const satisfies Columns<AttemptKey>;

const ATTEMPTS = rowsOf<AttemptKey>('k', ATTEMPT_COLUMNS);

export interface ClaimedDelivery extends AttemptKey {
  maxAttempts: number;
  eventId: string;
  emailId: string | null;
  type: EventKey;
}

/** How many deliveries of a webhook are wanted. */
export interface Wanted extends WebhookKey {
  limit: number;
}

const WANTED = rowsOf<Wanted>('k', { ...WEBHOOK_COLUMNS, most: ['int2', ({ limit }) => limit] });

/**
 * Due deliveries of enabled webhooks, the longest due first, in the order of their events. Rows that another worker is
 * taking are passed over, and so are those of a live lease: its worker may have an answer that is not written yet. The
 * attempt counts from here on, even if the worker dies: when it was the last one, the delivery has failed.
 * @param leaseId of the caller, who has written the end of every attempt whose claim is over
 */
export async function claimDeliveries(
  database: Database,
  leaseId: string,
  wanted: readonly Wanted[],
): Promise<ClaimedDelivery[]> {
  const lease = lockingLease(leaseId);
  const { rows } = await sql<ClaimedDelivery & { pending: boolean }>`
    with ${lease.sql}, due as (
      select d.*
      from ${WANTED.from(wanted)}
      join webhooks w on w.project_id = k.project_id and w.id = k.webhook_id and w.enabled
      cross join lateral (
        select d.project_id, d.webhook_id, d.id from deliveries d
        where d.project_id = k.project_id and d.webhook_id = k.webhook_id and d.status = 'pending' and d.next_attempt_at <= now()
          -- Its own: the answer to the claim was lost, or the deliveries could not be given back.
          and (d.lease_id is null or d.lease_id = ${leaseId} or not exists (select from leases where lease_id = d.lease_id))
        -- The events of one commit are due at the same moment: their ids have their order.
        order by d.next_attempt_at, d.id
        limit k.most
        for no key update skip locked
      ) d
    )
    update deliveries d
    set status = case when d.attempts < d.max_attempts then 'pending' else 'failed' end,
        attempts = least(d.attempts + 1, d.max_attempts),
        last_attempt_at = case when d.attempts < d.max_attempts then now() else d.last_attempt_at end,
        next_attempt_at = case when d.attempts < d.max_attempts then now() + ${TIMINGS.claimMs}::int * interval '1 millisecond' end,
        lease_id = case when d.attempts < d.max_attempts then ${lease.name}.lease_id end,
        error = case when d.attempts < d.max_attempts then d.error else 'the sender stopped during the attempt' end
    from due, ${lease.name}
    where d.project_id = due.project_id and d.webhook_id = due.webhook_id and d.id = due.id
    returning d.project_id, d.webhook_id, d.id, d.attempts as attempt, d.max_attempts, d.event_id, d.email_id, d.type,
              d.status = 'pending' as pending`.execute(database);
  return rows.filter((row) => row.pending).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Makes deliveries due again as if they had not been claimed. Rows that another worker has by now are left alone. */
export async function giveBack(database: Database, attempts: readonly AttemptKey[]): Promise<void> {
  if (attempts.length === 0) return;
  await sql`
    with mine as (
      select d.project_id, d.webhook_id, d.id
      from ${ATTEMPTS.from(attempts)}
      join deliveries d on d.project_id = k.project_id and d.webhook_id = k.webhook_id and d.id = k.id
      where ${IS_OURS} and d.attempts = k.attempt
      -- Who has it locked fails it, because its webhook is disabled.
      for no key update of d skip locked
    )
    update deliveries d
    set attempts = d.attempts - 1, next_attempt_at = now(), lease_id = null,
        last_attempt_at = case when d.attempts > 1 then d.last_attempt_at end
    from mine
    where d.project_id = mine.project_id and d.webhook_id = mine.webhook_id and d.id = mine.id`.execute(
    database,
  );
}

/**
 * Together with the number of the attempt: no other worker has the row. Not `status = 'pending'`, which means the same:
 * PostgreSQL would search the index of pending rows, of which a webhook may have any number.
 */
export const IS_OURS = sql`d.next_attempt_at is not null`;
