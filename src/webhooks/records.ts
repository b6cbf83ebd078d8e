/** Rows as the API shows them (docs/contract.md, Webhook). */
import type { Selectable } from 'kysely';
import type { Webhook, WebhookDelivery } from '../contract/webhooks.ts';
import type { Tables } from '../db/tables.ts';
import { encodeId, timeOf } from '../model/ids.ts';
import { truncateUtf8 } from '../net/truncate-utf8.ts';

export type WebhookRow = Selectable<Tables['webhooks']>;
export type DeliveryRow = Selectable<Tables['webhookDeliveries']>;

/** Bodies are shown up to this (docs/contract.md, Limits). */
const MAX_BODY_BYTES = 4 * 1024;

export function webhookRecord(row: WebhookRow): Webhook {
  return {
    id: encodeId('wh', row.id),
    url: row.url,
    events: row.events as Webhook['events'],
    enabled: row.enabled,
    disabled_reason: row.disabledReason as Webhook['disabled_reason'],
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    last_success_at: iso(row.lastSuccessAt),
    last_failure_at: iso(row.lastFailureAt),
  };
}

/** @param requestBody what is sent, whole */
export function deliveryRecord(row: DeliveryRow, requestBody: string): WebhookDelivery {
  const shownBody = truncateUtf8(requestBody, MAX_BODY_BYTES);
  return {
    id: encodeId('dlv', row.id),
    event_id: encodeId('evt', row.eventId),
    type: row.type as WebhookDelivery['type'],
    status: row.status,
    attempts: row.attempts,
    max_attempts: row.maxAttempts,
    http_status: row.httpStatus,
    error: row.error,
    duration_ms: row.durationMs,
    request_body: shownBody,
    response_body: row.responseBody ?? '',
    truncated: row.responseTruncated || shownBody.length < requestBody.length,
    created_at: timeOf(row.id).toISOString(),
    last_attempt_at: iso(row.lastAttemptAt),
    next_attempt_at: iso(row.nextAttemptAt),
    delivered_at: iso(row.deliveredAt),
  };
}

function iso(time: Date | null): string | null {
  return time === null ? null : time.toISOString();
}
