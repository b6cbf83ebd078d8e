import { sql } from 'kysely';
import { uuidArray } from '../db/arrays.ts';
import type { Database } from '../db/database.ts';
import type { EventKey } from '../model/event-keys.ts';

/** What a webhook was told of an event, or is still to be told. */
export interface FoundDelivery {
  id: string;
  webhookId: string;
  url: string;
  eventId: string;
  type: EventKey;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  maxAttempts: number;
  httpStatus: number | null;
  error: string | null;
  lastAttemptAt: Date | null;
  nextAttemptAt: Date | null;
}

/** Of these events, whose ids are a timeline's: there are no more of them than one page shows. */
const MAX_DELIVERIES = 2_000;

/**
 * The deliveries of events. There is no index by event: the id of a delivery begins with the time and the counter of its event
 * (`recording-deliveries.ts`), so the primary keys find it.
 */
export async function readDeliveries(
  database: Database,
  projectId: string,
  eventIds: readonly string[],
): Promise<FoundDelivery[]> {
  const isOfEvent = sql`
    d.project_id = ${projectId} and d.event_id = v.id
    and d.id >= (left(v.id::text, 18) || '-0000-000000000000')::uuid
    and d.id <= (left(v.id::text, 18) || '-ffff-ffffffffffff')::uuid`;
  const { rows } = await sql<FoundDelivery>`
    select d.id, d.webhook_id, w.url, d.event_id, d.type, d.status, d.attempts, d.max_attempts, d.http_status, d.error, d.last_attempt_at,
      d.next_attempt_at
    from unnest(${uuidArray(eventIds)}::uuid[]) as v (id)
    cross join lateral (
      select d.id, d.webhook_id, d.event_id, d.type, d.status, d.attempts, d.max_attempts, d.http_status, d.error, d.last_attempt_at,
        null::timestamptz as next_attempt_at
      from (select id from webhooks where project_id = ${projectId}) w
      cross join lateral (select d.* from deliveries d where d.webhook_id = w.id and ${isOfEvent} offset 0) d
      union all
      select d.id, d.webhook_id, d.event_id, d.type, 'pending', d.attempts, d.max_attempts, d.http_status, d.error, d.last_attempt_at,
        d.next_attempt_at
      from due_deliveries d where ${isOfEvent}
      offset 0
    ) d
    join webhooks w on w.project_id = ${projectId} and w.id = d.webhook_id
    order by d.id
    limit ${sql.lit(MAX_DELIVERIES)}`.execute(database);
  return rows;
}
