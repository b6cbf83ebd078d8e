/** Rows in the form of the API (docs/contract.md, Webhook). */
import type { Selectable } from 'kysely';
import { bodyOf } from '../contract/body-of.ts';
import { Webhook, WebhookDelivery } from '../contract/webhooks.ts';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Tables } from '../db/tables.ts';
import { encodeId, timeOf } from '../model/ids.ts';
import { truncateUtf8 } from '../net/truncate-utf8.ts';

export type WebhookRow = Selectable<Tables['webhooks']>;
/** A finished or a pending delivery. */
export const DELIVERY = columnsOf({
  projectId: 'uuid',
  webhookId: 'uuid',
  id: 'uuid',
  eventId: 'uuid',
  emailId: 'uuid?',
  type: shaped<Selectable<Tables['deliveries']>['type']>('text'),
  status: shaped<'pending' | 'delivered' | 'failed'>('text'),
  attempts: 'int2',
  maxAttempts: 'int2',
  /** Null if the delivery is finished. */
  nextAttemptAt: 'timestamptz?',
  lastAttemptAt: 'timestamptz?',
  deliveredAt: 'timestamptz?',
  httpStatus: 'int2?',
  error: 'text?',
  durationMs: 'int4?',
  responseBody: 'text?',
  responseTruncated: 'bool',
});
export type DeliveryRow = RowOf<typeof DELIVERY>;

/** Maximum number of bytes that are shown of each body (docs/contract.md, Limits). */
const MAX_BODY_BYTES = 4 * 1024;

const webhookBody = bodyOf(Webhook);
const deliveryBody = bodyOf(WebhookDelivery);

export function webhookRecord(row: WebhookRow): Webhook {
  return webhookBody({ ...row, id: encodeId('wh', row.id) });
}

/** @param requestBody the whole body of the request */
export function deliveryRecord(row: DeliveryRow, requestBody: string): WebhookDelivery {
  const shownBody = truncateUtf8(requestBody, MAX_BODY_BYTES);
  return deliveryBody({
    ...row,
    id: encodeId('dlv', row.id),
    eventId: encodeId('evt', row.eventId),
    emailId: row.emailId === null ? null : encodeId('em', row.emailId),
    requestBody: shownBody,
    responseBody: row.responseBody ?? '',
    truncated: row.responseTruncated || shownBody.length < requestBody.length,
    createdAt: timeOf(row.id),
  });
}
