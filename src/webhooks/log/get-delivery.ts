/** One delivery of a webhook, with its bodies. */
import type { DeliveryDetail } from '../../contract/dashboard/webhooks.ts';
import type { Database } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';
import * as clock from '../../model/clock.ts';
import { encodeId } from '../../model/ids.ts';
import type { WebhookKey } from '../deliver/claim-deliveries.ts';
import type { PastAttempt } from '../../model/past-attempt.ts';
import { deliveryHeaders } from '../post-event.ts';
import { columnsOf, shaped } from '../../db/columns.ts';
import { DELIVERY, deliveryRecord } from '../records.ts';
import { attemptResults, STORED_ATTEMPTS } from '../past-attempts.ts';
import { requestBodies } from '../request-bodies.ts';
import { openSecrets, type SealedSecrets, type SigningSecrets } from '../secret.ts';
import { aboutEmails } from './about-emails.ts';

export interface SingleDeliveryQuery extends WebhookKey {
  deliveryId: string;
  /** Whether the bodies are included. Bodies contain data of emails. */
  includesBodies: boolean;
}

const ATTEMPTED = columnsOf({
  ...DELIVERY.kinds,
  pastAttempts: shaped<PastAttempt[] | null>('jsonb?'),
  isSending: 'bool',
  secretSealed: 'text',
  previousSecretSealed: 'text?',
  previousSecretUntil: 'timestamptz?',
});

/** @returns null if the webhook has no such delivery */
export async function getDelivery(
  { database, sealer }: { database: Database; sealer: Sealer },
  query: SingleDeliveryQuery,
): Promise<DeliveryDetail | null> {
  const { projectId, webhookId, deliveryId, includesBodies } = query;
  // The deliveries of a deleted webhook may still exist, because they are deleted in the background.
  const { rows } = await ATTEMPTED.sql`
    select found.*, w.secret_sealed, w.previous_secret_sealed, w.previous_secret_until from (
    select project_id, webhook_id, id, event_id, email_id, type, 'pending' as status, attempts, max_attempts, next_attempt_at,
           last_attempt_at, null::timestamptz as delivered_at, http_status, error, duration_ms, response_body, response_truncated,
           case when lease_id is null then ${STORED_ATTEMPTS} else past_attempts end as past_attempts, lease_id is not null as is_sending
    from due_deliveries d where id = ${deliveryId} and project_id = ${projectId} and webhook_id = ${webhookId}
    union all
    select project_id, webhook_id, id, event_id, email_id, type, status, attempts, max_attempts, null,
           last_attempt_at, delivered_at, http_status, error, duration_ms, response_body, response_truncated, ${STORED_ATTEMPTS}, false
    from deliveries d where id = ${deliveryId} and project_id = ${projectId} and webhook_id = ${webhookId}
    ) found join webhooks w on w.project_id = found.project_id and w.id = found.webhook_id`.execute(database);
  const [row] = rows;
  if (row === undefined) return null;
  const [body] = includesBodies ? await requestBodies(database, [row]) : [];
  const record = deliveryRecord(includesBodies ? row : { ...row, responseBody: null }, body ?? '');
  const about = await aboutEmails(database, [row]);
  return {
    ...record,
    about: about.get(row.eventId) ?? null,
    hides_bodies: !includesBodies,
    is_sending: row.isSending,
    request_headers: shownHeaders(encodeId('evt', row.eventId), secretsOf(sealer, { ...row, id: webhookId })),
    attempt_results: attemptResults(row.pastAttempts, includesBodies),
  };
}

/** A secret that cannot be decrypted signs nothing, but its deliveries are shown, with their error. */
function secretsOf(sealer: Sealer, row: SealedSecrets): SigningSecrets {
  try {
    return openSecrets(sealer, row, clock.now());
  } catch {
    return { current: '', next: null };
  }
}

/** The headers of an attempt that is made now, with placeholders for signatures, which are computed for each attempt and not stored. */
function shownHeaders(id: string, secrets: SigningSecrets): DeliveryDetail['request_headers'] {
  return Object.entries(deliveryHeaders(secrets, { id, body: '' }, 0)).map(([name, value]) => ({
    name: name.replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase()),
    value: value
      .replace(/^t=0,v1=[0-9a-f]+$/, 't=<unix seconds>,v1=<hex>')
      .replace(/^0$/, '<unix seconds>')
      .replaceAll(/v1,[A-Za-z0-9+/]{43}=/g, 'v1,<base64>'),
  }));
}
