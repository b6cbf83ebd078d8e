import { sql } from 'kysely';
import type { WebhookTest } from '../contract/webhooks.ts';
import { rowIs } from '../db/row-is.ts';
import type { Database } from '../db/database.ts';
import type { Sealer } from '../db/seal.ts';
import * as clock from '../model/clock.ts';
import { AppError } from '../model/app-error.ts';
import { TEST_EVENT } from '../model/event-keys.ts';
import { encodeId, newUuid } from '../model/ids.ts';
import type { GuardedClient } from '../net/guarded-client.ts';
import { isSuccess } from './deliver/attempt-outcome.ts';
import { testPayload } from './payload.ts';
import { RESPONSE_TIMEOUT_MS, postEvent } from './post-event.ts';
import { openSecrets } from './secret.ts';

export interface TestSenderOptions {
  database: Database;
  sealer: Sealer;
  client: GuardedClient;
}

/**
 * The maximum number of concurrent tests per project. Attack: a receiver that does not respond keeps a connection and a request open for
 * each test.
 */
const MAX_AT_ONCE = 20;

/** The test operation (docs/contract.md, testWebhook). The response to a test does not affect the webhook's health. */
export class TestSender {
  readonly #options: TestSenderOptions;
  /** Tests in progress in this process, by project. */
  readonly #underWay = new Map<string, number>();

  constructor(options: TestSenderOptions) {
    this.#options = options;
  }

  /** @throws AppError rate-limited */
  async send(projectId: string, webhookId: string): Promise<WebhookTest | null> {
    const underWay = this.#underWay.get(projectId) ?? 0;
    if (underWay >= MAX_AT_ONCE) {
      throw new AppError(
        'rate-limited',
        `The project already has ${MAX_AT_ONCE} webhook tests in progress, which is the limit. Try again in a few seconds.`,
        {
          retryAfterSeconds: RESPONSE_TIMEOUT_MS / 1_000,
        },
      );
    }
    this.#underWay.set(projectId, underWay + 1);
    try {
      return await this.#sendOne(projectId, webhookId);
    } finally {
      const left = (this.#underWay.get(projectId) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(projectId);
      else this.#underWay.set(projectId, left);
    }
  }

  async #sendOne(projectId: string, webhookId: string): Promise<WebhookTest | null> {
    const { database, sealer, client } = this.#options;
    const webhook = await database
      .selectFrom('webhooks')
      .select(['id', 'url', 'secretSealed', 'previousSecretSealed', 'previousSecretUntil'])
      .where((row) => rowIs(row, { projectId, id: webhookId }))
      .executeTakeFirst();
    if (webhook === undefined) return null;
    const eventId = newUuid();
    const deliveryId = newUuid();
    const now = clock.now();
    const body = testPayload({ eventId, webhookId });
    const secrets = openSecrets(sealer, webhook, now);
    const result = await postEvent(client, webhook.url, secrets, { id: encodeId('evt', eventId), body });
    const success = isSuccess(result);
    // Nothing is inserted if the webhook was deleted in the meantime, because no rows of a deleted webhook may remain.
    const { numAffectedRows } = await sql`
      insert into deliveries (
        project_id, webhook_id, id, event_id, type, status, attempts, max_attempts, last_attempt_at, delivered_at,
        http_status, error, duration_ms, response_body, response_truncated
      )
      select project_id, id, ${deliveryId}::uuid, ${eventId}::uuid, ${TEST_EVENT}, ${success ? 'delivered' : 'failed'}, 1, 1, ${now}::timestamptz,
             ${success ? clock.now() : null}::timestamptz, ${result.httpStatus}::smallint, ${result.error}::text,
             ${result.durationMs}::int, ${result.responseBody}, ${result.responseTruncated}::boolean
      from webhooks where project_id = ${projectId} and id = ${webhookId}
      for key share`.execute(database);
    if (numAffectedRows !== 1n) return null;
    return { http_status: result.httpStatus, success, delivery_id: encodeId('dlv', deliveryId) };
  }
}
