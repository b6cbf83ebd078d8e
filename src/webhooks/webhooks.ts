/** The webhooks of a project for the API (docs/contract.md, Webhooks). Ids are uuids. */
import type {
  CreatedWebhook,
  CreateWebhook,
  UpdateWebhook,
  Webhook,
  WebhookDetail,
  WebhookList,
  WebhookTest,
} from '../contract/webhooks.ts';
import { type AuditFields, type Change, differences, recordChange } from '../accounts/audit.ts';
import { lockProject } from '../accounts/projects/projects.ts';
import { rowIs } from '../db/row-is.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { retryingConflicts } from '../db/retry.ts';
import * as clock from '../model/clock.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { encodeId, newUuid, timeOf } from '../model/ids.ts';
import { type Environment, urlProblem } from './check-url.ts';
import { failPending } from './fail-pending.ts';
import { newestDeliveries } from './newest-deliveries.ts';
import { listWebhooks } from './list-webhooks.ts';
import { deliveryRecord, webhookRecord, type WebhookRow } from './records.ts';
import { requestBodies } from './request-bodies.ts';
import { newSecret, sealSecret } from './secret.ts';
import { TestSender, type TestSenderOptions } from './test-sender.ts';

/** The maximum number of webhooks per project. Every event of a project is compared with each of its webhooks. */
const MAX_WEBHOOKS = 50;
const SHOWN_DELIVERIES = 20;

export interface WebhooksOptions extends TestSenderOptions {
  environment: Environment;
}

export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #testSender: TestSender;

  constructor(options: WebhooksOptions) {
    this.#options = options;
    this.#testSender = new TestSender(options);
  }

  /** Lists the webhooks, oldest first. */
  list(projectId: string): Promise<WebhookList> {
    return listWebhooks(this.#options.database, projectId);
  }

  /** @throws AppError validation-failed, plan-limit-exceeded */
  async create(projectId: string, { url, events }: CreateWebhook): Promise<CreatedWebhook> {
    this.#checkUrl(url);
    const id = newUuid();
    const secret = newSecret();
    const now = timeOf(id);
    const row = await this.#options.database.transaction().execute(async (tx) => {
      await lockProject(tx, projectId);
      await checkWebhookLimit(tx, projectId);
      const secretSealed = sealSecret(this.#options.sealer, id, secret);
      await record(tx, 'create', { projectId, id, url }, { after: { url, events, enabled: true } });
      return tx
        .insertInto('webhooks')
        .values({ projectId, id, url, events, enabled: true, secretSealed, createdAt: now, updatedAt: now })
        .returningAll()
        .executeTakeFirstOrThrow();
    });
    return { ...webhookRecord(row), secret };
  }

  /** Returns a webhook with its newest deliveries; null if the project has no such webhook. */
  async get(projectId: string, webhookId: string): Promise<WebhookDetail | null> {
    const row = await this.#options.database
      .selectFrom('webhooks')
      .selectAll()
      .where((row) => rowIs(row, { projectId, id: webhookId }))
      .executeTakeFirst();
    if (row === undefined) return null;
    const deliveries = await newestDeliveries(this.#options.database, projectId, webhookId, SHOWN_DELIVERIES);
    const bodies = await requestBodies(this.#options.database, deliveries);
    return {
      ...webhookRecord(row),
      deliveries: deliveries.map((delivery, at) => deliveryRecord(delivery, bodies[at] ?? '')),
    };
  }

  /**
   * Changes the given fields of a webhook. Disabling a webhook marks its pending deliveries as failed. Enabling it resets the record of its
   * failures.
   * @returns null if the project has no such webhook
   * @throws AppError validation-failed
   */
  async update(projectId: string, webhookId: string, changes: UpdateWebhook): Promise<Webhook | null> {
    if (changes.url !== undefined) this.#checkUrl(changes.url);
    // Attempts in flight write to the same rows in another order, so conflicts are retried.
    return retryingConflicts(() =>
      this.#options.database.transaction().execute((tx) => updateWebhook(tx, projectId, webhookId, changes)),
    );
  }

  /**
   * Deletes a webhook. From now on nothing is sent to the webhook, and its log is deleted in the background
   * (`src/retention/removals.ts`), however long the log is.
   * @returns false if the project has no such webhook
   */
  async remove(projectId: string, webhookId: string): Promise<boolean> {
    return this.#options.database.transaction().execute(async (tx) => {
      const row = await tx
        .deleteFrom('webhooks')
        .where((row) => rowIs(row, { projectId, id: webhookId }))
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return false;
      await record(tx, 'delete', row, { before: settingsOf(row) });
      await tx.insertInto('removals').values({ projectId, id: webhookId, kind: 'webhook' }).execute();
      return true;
    });
  }

  /**
   * Sends a test event once, immediately, even if the webhook is disabled.
   * @returns null if the project has no such webhook
   * @throws AppError rate-limited if too many tests of the project are in progress
   */
  test(projectId: string, webhookId: string): Promise<WebhookTest | null> {
    return this.#testSender.send(projectId, webhookId);
  }

  #checkUrl(url: string): void {
    const problem = urlProblem(url, this.#options.environment);
    if (problem !== null) throw validationError({ url: problem });
  }
}

/** @throws AppError plan-limit-exceeded */
async function checkWebhookLimit(tx: DatabaseTransaction, projectId: string): Promise<void> {
  const { count } = await tx
    .selectFrom('webhooks')
    .select((column) => column.fn.countAll<string>().as('count'))
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow();
  if (Number(count) < MAX_WEBHOOKS) return;
  throw new AppError(
    'plan-limit-exceeded',
    `A project can have at most ${MAX_WEBHOOKS} webhooks. Delete one first.`,
    {
      errors: { url: `the project has ${MAX_WEBHOOKS} webhooks, which is the limit; delete one first` },
    },
  );
}

async function updateWebhook(
  tx: DatabaseTransaction,
  projectId: string,
  webhookId: string,
  { url, events, enabled }: UpdateWebhook,
): Promise<Webhook | null> {
  const row = await tx
    .selectFrom('webhooks')
    .selectAll()
    .where((row) => rowIs(row, { projectId, id: webhookId }))
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return null;
  const isSwitched = enabled !== undefined && enabled !== row.enabled;
  // Enabling also marks pending deliveries as failed, because an event may have been written while the webhook was being disabled.
  if (isSwitched) await failPending(tx, projectId, webhookId);
  if (url === undefined && events === undefined && !isSwitched) return webhookRecord(row);
  const switched = isSwitched ? { enabled, disabledReason: null, failingSince: null } : {};
  const updated = await tx
    .updateTable('webhooks')
    .set({ url, events, ...switched, updatedAt: clock.now() })
    .where((row) => rowIs(row, { projectId, id: webhookId }))
    .returningAll()
    .executeTakeFirstOrThrow();
  const changed = differences(settingsOf(row), settingsOf(updated));
  if (Object.keys(changed.after).length > 0) await record(tx, 'update', updated, changed);
  return webhookRecord(updated);
}

/** The settings that the project's members can change, for the audit log. */
function settingsOf({ url, events, enabled }: WebhookRow): AuditFields {
  return { url, events, enabled };
}

function record(
  tx: DatabaseTransaction,
  verb: 'create' | 'update' | 'delete',
  { projectId, id, url }: Pick<WebhookRow, 'projectId' | 'id' | 'url'>,
  changed: Pick<Change, 'before' | 'after'>,
): Promise<void> {
  const target = encodeId('wh', id);
  return recordChange(tx, {
    of: { projectId },
    action: `webhook.${verb}`,
    target,
    targetName: url,
    ...changed,
  });
}
