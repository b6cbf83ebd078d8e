import type { Database } from '../db/database.ts';
import { DELIVERY, type DeliveryRow } from './records.ts';

/** The newest deliveries of a webhook, newest first. */
export async function newestDeliveries(
  database: Database,
  projectId: string,
  webhookId: string,
  count: number,
): Promise<DeliveryRow[]> {
  const { rows } = await DELIVERY.sql`
    select * from (
      (select project_id, webhook_id, id, event_id, email_id, type, 'pending' as status, attempts, max_attempts, next_attempt_at,
              last_attempt_at, null::timestamptz as delivered_at, http_status, error, duration_ms, response_body, response_truncated
       from due_deliveries where project_id = ${projectId} and webhook_id = ${webhookId}
       order by id desc limit ${count})
      union all
      (select project_id, webhook_id, id, event_id, email_id, type, status, attempts, max_attempts, null,
              last_attempt_at, delivered_at, http_status, error, duration_ms, response_body, response_truncated
       from deliveries where project_id = ${projectId} and webhook_id = ${webhookId}
       order by id desc limit ${count})
    ) newest
    order by id desc
    limit ${count}`.execute(database);
  return rows;
}
