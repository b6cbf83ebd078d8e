/** Webhooks for tests, and a worker's sender of their deliveries. */
import { sql } from 'kysely';
import pino from 'pino';
import type { Database } from '../../src/db/database.ts';
import { checkSecret, type Sealer } from '../../src/db/seal.ts';
import type { NewEmail } from '../../src/sending/accept/insert-emails.ts';
import { insertEmails } from '../../src/sending/accept/insert-emails.ts';
import { EVENT_KEYS, type EventKey } from '../../src/model/event-keys.ts';
import { newUuid } from '../../src/model/ids.ts';
import { GuardedClient } from '../../src/net/guarded-client.ts';
import { WebhookSender, type WebhookSenderOptions } from '../../src/webhooks/deliver/webhook-sender.ts';
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

/** Stores a webhook: by default of a project of its own, to all events, and pointing nowhere. */
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

/** Its deliveries, oldest event first. */
export function deliveriesOf(database: Database, { webhookId }: TestWebhook) {
  return database
    .selectFrom('deliveries')
    .selectAll()
    .where('webhookId', '=', webhookId)
    .orderBy('id')
    .execute();
}

/** A delivery as recording an event writes it. @returns its id */
export async function insertDelivery(
  database: Database,
  webhook: Pick<TestWebhook, 'projectId' | 'webhookId'>,
  fields: Partial<DeliveryRow> = {},
): Promise<string> {
  const { projectId, webhookId } = webhook;
  const id = newUuid();
  await database
    .insertInto('deliveries')
    .values({
      projectId,
      webhookId,
      id,
      eventId: newUuid(),
      emailId: newUuid(),
      type: 'email.sent',
      ...fields,
    })
    .execute();
  return id;
}

/** Its deliveries have had so many attempts. */
export async function setAttempts(
  database: Database,
  { webhookId }: TestWebhook,
  attempts: number,
): Promise<void> {
  await database.updateTable('deliveries').set({ attempts }).where('webhookId', '=', webhookId).execute();
}

/** What is pending need not be waited for any longer. */
export async function makeDue(database: Database, { webhookId }: TestWebhook): Promise<void> {
  await sql`update deliveries set next_attempt_at = now() where webhook_id = ${webhookId} and status = 'pending'`.execute(
    database,
  );
}

/** Accepts emails, which is one `queued` event each. */
export async function acceptEmails(
  database: Database,
  projectId: string,
  count: number,
): Promise<NewEmail[]> {
  const emails = Array.from({ length: count }, () => newEmail({ projectId }));
  await insertEmails(database, emails);
  return emails;
}

/** A sender as a worker has it, awake. */
export async function startSender(
  database: Database,
  options: Partial<WebhookSenderOptions> = {},
): Promise<WebhookSender & AsyncDisposable> {
  const sender = new WebhookSender({
    database,
    sealer: await checkSecret(database, SECRET),
    client: new GuardedClient({ allowLoopback: true, maxConnectionsPerOrigin: 1_000 }),
    logger: pino({ level: 'fatal' }),
    isPaused: () => false,
    ...options,
  });
  sender.wake();
  return sender;
}
