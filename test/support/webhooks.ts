/** Webhooks for tests, and a worker's sender for webhook deliveries. */
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import pino from 'pino';
import type { Database } from '../../src/db/database.ts';
import { checkSecret, type Sealer } from '../../src/db/seal.ts';
import type { NewEmail } from '../../src/sending/accept/insert-emails.ts';
import { insertEmails } from '../../src/sending/accept/insert-emails.ts';
import { EVENT_KEYS, type EventKey, TEST_EVENT } from '../../src/model/event-keys.ts';
import { newUuid } from '../../src/model/ids.ts';
import { GuardedClient } from '../../src/net/guarded-client.ts';
import { DeliverySender, type DeliverySenderOptions } from '../../src/webhooks/deliver/delivery-sender.ts';
import { webhookQueue, type WebhookQueueOptions } from '../../src/webhooks/deliver/webhook-queue.ts';
import { newestDeliveries } from '../../src/webhooks/newest-deliveries.ts';
import type { DeliveryRow } from '../../src/webhooks/records.ts';
import { newSecret, sealSecret } from '../../src/webhooks/secret.ts';
import { newEmail } from './emails.ts';
import { SECRET } from './postgres.ts';
import { newProject } from './projects.ts';

export interface TestWebhook {
  projectId: string;
  webhookId: string;
  secret: string;
}

/** Stores a webhook. Default: in a new project, for all events, with a URL at which nothing listens. */
export async function newWebhook(
  database: Database,
  sealer: Sealer,
  fields: { projectId?: string; url?: string; events?: readonly EventKey[]; enabled?: boolean } = {},
): Promise<TestWebhook> {
  const { url = 'http://127.0.0.1:9/', events = EVENT_KEYS, enabled = true } = fields;
  const projectId = fields.projectId ?? (await newProject(database));
  const webhookId = newUuid();
  const secret = newSecret();
  await database
    .insertInto('webhooks')
    .values({
      projectId,
      id: webhookId,
      url,
      events: [...events],
      enabled,
      disabledReason: null,
      secretSealed: sealSecret(sealer, webhookId, secret),
      previousSecretSealed: null,
      previousSecretUntil: null,
      createdAt: new Date(),
      updatedAt: new Date(),
      lastSuccessAt: null,
      lastFailureAt: null,
      failingSince: null,
    })
    .execute();
  return { projectId, webhookId, secret };
}

export function webhookRow(database: Database, { webhookId }: TestWebhook) {
  return database.selectFrom('webhooks').selectAll().where('id', '=', webhookId).executeTakeFirstOrThrow();
}

/** The deliveries of a webhook, oldest event first. */
export async function deliveriesOf(
  database: Database,
  { projectId, webhookId }: Pick<TestWebhook, 'projectId' | 'webhookId'>,
): Promise<DeliveryRow[]> {
  return (await newestDeliveries(database, projectId, webhookId, 1_000_000)).toReversed();
}

/** Stores a delivery. By default a pending delivery is due at once. @returns the id of the delivery */
export async function insertDelivery(
  database: Database,
  { projectId, webhookId }: Pick<TestWebhook, 'projectId' | 'webhookId'>,
  fields: Partial<DeliveryRow> = {},
): Promise<string> {
  const {
    id = newUuid(),
    status = 'pending',
    nextAttemptAt,
    deliveredAt = null,
    emailId = newUuid(),
    ...rest
  } = fields;
  const row = {
    projectId,
    webhookId,
    id,
    eventId: newUuid(),
    type: 'email.sent' as const,
    attempts: 0,
    ...rest,
  };
  if (status === 'pending') {
    assert.ok(emailId !== null && row.type !== TEST_EVENT);
    const due = { ...row, type: row.type, emailId, nextAttemptAt: nextAttemptAt ?? new Date() };
    await database.insertInto('dueDeliveries').values(due).execute();
  } else {
    await database
      .insertInto('deliveries')
      .values({ ...row, emailId, status, deliveredAt })
      .execute();
  }
  return id;
}

/** Sets the number of attempts of the webhook's due deliveries. */
export async function setAttempts(
  database: Database,
  { webhookId }: TestWebhook,
  attempts: number,
): Promise<void> {
  await database.updateTable('dueDeliveries').set({ attempts }).where('webhookId', '=', webhookId).execute();
}

/** Makes the webhook's pending deliveries due now. */
export async function makeDue(database: Database, { webhookId }: TestWebhook): Promise<void> {
  await sql`update due_deliveries set next_attempt_at = now() where webhook_id = ${webhookId}`.execute(
    database,
  );
}

/** Sets the final status of the due deliveries of an email. The status `pending` makes ended deliveries due again. */
export async function setDeliveries(
  database: Database,
  status: DeliveryRow['status'],
  emailId: string,
): Promise<void> {
  const columns = sql.raw('project_id, webhook_id, id, event_id, email_id, type, attempts');
  if (status === 'pending')
    await sql`
      with replayed as (delete from deliveries where email_id = ${emailId} returning ${columns})
      insert into due_deliveries (${columns}, next_attempt_at) select ${columns}, now() from replayed`.execute(
      database,
    );
  else
    await sql`
      with over_now as (delete from due_deliveries where email_id = ${emailId} returning ${columns})
      insert into deliveries (${columns}, status) select ${columns}, ${status} from over_now`.execute(
      database,
    );
}

/** Accepts emails, each with one `queued` event. */
export async function acceptEmails(
  database: Database,
  projectId: string,
  count: number,
): Promise<NewEmail[]> {
  const emails = Array.from({ length: count }, () => newEmail({ projectId }));
  await insertEmails(database, emails);
  return emails;
}

export async function startSender(
  database: Database,
  options: Partial<DeliverySenderOptions & WebhookQueueOptions> = {},
): Promise<AsyncDisposable & { wake(): void }> {
  const all = {
    database,
    reads: database,
    sealer: await checkSecret(database, SECRET),
    client: new GuardedClient({ allowLoopback: true, maxConnectionsPerOrigin: 1_000 }),
    logger: pino({ level: 'fatal' }),
    isPaused: () => false,
    ...options,
  };
  const sender = new DeliverySender(webhookQueue(all), all);
  sender.wake();
  return sender;
}
