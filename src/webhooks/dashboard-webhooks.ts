/** Webhooks for the dashboard, in addition to the API's operations (`webhooks.ts`). Ids are uuids. */
import type {
  DashboardWebhook,
  DashboardWebhookDetail,
  DashboardWebhookList,
  DeliveryCount,
  DeliveryDetail,
  DeliveryPage,
  DeliveryQuery,
  RotatedSecret,
  WebhookActivityDetail,
} from '../contract/dashboard/webhooks.ts';
import type { Database } from '../db/database.ts';
import type { FairReads, Read } from '../db/fair-reads.ts';
import { rowIs } from '../db/row-is.ts';
import type { Sealer } from '../db/seal.ts';
import * as clock from '../model/clock.ts';
import { DAY_MS } from '../model/day.ts';
import { encodeId } from '../model/ids.ts';
import { type ActivitySpan, activityOf } from './activity.ts';
import type { WebhookKey } from './deliver/claim-deliveries.ts';
import { DISABLE_AFTER_DAYS } from './deliver/settle-deliveries.ts';
import { countDeliveries } from './log/count-deliveries.ts';
import { countRetryable, countWaiting } from './log/find-deliveries.ts';
import { getDelivery, type SingleDeliveryQuery } from './log/get-delivery.ts';
import { listDeliveries } from './log/list-deliveries.ts';
import { webhookRecord, type WebhookRow } from './records.ts';
import { replayDelivery } from './replay/replay-delivery.ts';
import { countFailed, findReplay } from './replay/replay-failed.ts';
import { retryDelivery } from './replay/retry-delivery.ts';
import { findRetry } from './replay/retry-pending.ts';
import { cancelRotation, finishRotation, rotateSecret } from './rotation.ts';

const MAX_WAITING = 1_000;
const LIMITS = { tooLong: 'Reading the deliveries took too long.' };

export interface DashboardWebhooksOptions {
  database: Database;
  sealer: Sealer;
  reads: FairReads;
}

export class DashboardWebhooks {
  readonly #options: DashboardWebhooksOptions;

  constructor(options: DashboardWebhooksOptions) {
    this.#options = options;
  }

  /** Lists the webhooks, oldest first, each with its attempts in the last 24 hours. */
  list(projectId: string): Promise<DashboardWebhookList> {
    return this.#reading(projectId, async (read) => {
      const rows = await read((database) =>
        database
          .selectFrom('webhooks')
          .selectAll()
          .where('projectId', '=', projectId)
          .orderBy('id')
          .execute(),
      );
      const ids = rows.map(({ id }) => id);
      const activity = await read((database) => activityOf(database, projectId, ids, '24h'));
      return {
        data: rows.flatMap((row) => {
          const ofRow = activity.get(row.id);
          return ofRow === undefined ? [] : [{ ...shown(row), activity: ofRow }];
        }),
      };
    });
  }

  /** @returns null if the project has no such webhook, like all methods below */
  async get(key: WebhookKey): Promise<DashboardWebhookDetail | null> {
    const { database } = this.#options;
    // The webhook is read from the primary, because a user who has just rotated a secret must see the change.
    const row = await database
      .selectFrom('webhooks')
      .selectAll()
      .where((row) => rowIs(row, { projectId: key.projectId, id: key.webhookId }))
      .executeTakeFirst();
    if (row === undefined) return null;
    const { count, nextAt } = await countWaiting(database, key, MAX_WAITING);
    const retryable = await countRetryable(database, key, MAX_WAITING);
    return {
      ...shown(row),
      waiting: { count, has_more: count === MAX_WAITING, next_at: nextAt?.toISOString() ?? null },
      retryable: { count: retryable, has_more: retryable === MAX_WAITING },
      retry: await findRetry(database, key),
      replay: await findReplay(database, key),
    };
  }

  async activity(key: WebhookKey, span: ActivitySpan): Promise<WebhookActivityDetail | null> {
    if (!(await this.#isThere(key))) return null;
    const { projectId, webhookId } = key;
    return this.#reading(projectId, async (read) => {
      const activity = (await read((database) => activityOf(database, projectId, [webhookId], span))).get(
        webhookId,
      );
      if (activity === undefined) return null;
      const since = new Date(activity.since);
      return { ...activity, deliveries: await read((database) => countDeliveries(database, key, since)) };
    });
  }

  /** @throws AppError validation-failed, unavailable */
  async deliveries(key: WebhookKey, query: DeliveryQuery): Promise<DeliveryPage | null> {
    if (!(await this.#isThere(key))) return null;
    return this.#reading(key.projectId, (read) => listDeliveries(read, key, query));
  }

  delivery(query: SingleDeliveryQuery): Promise<DeliveryDetail | null> {
    const { sealer } = this.#options;
    return this.#reading(query.projectId, (read) =>
      read((database) => getDelivery({ database, sealer }, query)),
    );
  }

  /**
   * Makes a failed delivery due again; see `replayDelivery`.
   * @returns the delivery in its new state
   */
  async replayDelivery(query: SingleDeliveryQuery): Promise<DeliveryDetail | null> {
    const { database } = this.#options;
    if ((await getDelivery(this.#options, query)) === null) return null;
    await replayDelivery(database, query.projectId, query.deliveryId);
    return getDelivery(this.#options, query);
  }

  /**
   * Makes a pending delivery due now; see `retryDelivery`.
   * @returns the delivery in its new state
   */
  async retryDelivery(query: SingleDeliveryQuery): Promise<DeliveryDetail | null> {
    const { database } = this.#options;
    const found = await getDelivery(this.#options, query);
    if (found === null) return null;
    await retryDelivery(database, query.projectId, query.deliveryId, found);
    return getDelivery(this.#options, query);
  }

  async countFailed(key: WebhookKey, since: Date | null): Promise<DeliveryCount | null> {
    if (!(await this.#isThere(key))) return null;
    return this.#reading(key.projectId, (read) => read((database) => countFailed(database, key, since)));
  }

  /** See `rotateSecret`. */
  async rotateSecret(
    { projectId, webhookId }: WebhookKey,
    overlapHours: number,
  ): Promise<RotatedSecret | null> {
    const { database, sealer } = this.#options;
    const rotated = await rotateSecret(database, sealer, projectId, webhookId, overlapHours);
    if (rotated === null) return null;
    return {
      id: encodeId('wh', webhookId),
      secret: rotated.secret,
      previous_secret_until: rotated.previousUntil?.toISOString() ?? null,
    };
  }

  /** See `finishRotation`. */
  async finishRotation(key: WebhookKey): Promise<DashboardWebhookDetail | null> {
    return (await finishRotation(this.#options.database, key)) ? this.get(key) : null;
  }

  /** See `cancelRotation`. */
  async cancelRotation(key: WebhookKey): Promise<DashboardWebhookDetail | null> {
    return (await cancelRotation(this.#options.database, key)) ? this.get(key) : null;
  }

  #reading<T>(projectId: string, work: (read: Read) => Promise<T>): Promise<T> {
    return this.#options.reads.runFairly(projectId, work, LIMITS);
  }

  async #isThere({ projectId, webhookId }: WebhookKey): Promise<boolean> {
    const row = await this.#options.database
      .selectFrom('webhooks')
      .select('id')
      .where((row) => rowIs(row, { projectId, id: webhookId }))
      .executeTakeFirst();
    return row !== undefined;
  }
}

function shown(row: WebhookRow): Omit<DashboardWebhook, 'activity'> {
  const { enabled, failingSince, previousSecretUntil } = row;
  const isFailing = enabled && failingSince !== null;
  const isRotated = previousSecretUntil !== null && previousSecretUntil > clock.now();
  return {
    ...webhookRecord(row),
    failing_since: isFailing ? failingSince.toISOString() : null,
    disabled_at: isFailing
      ? new Date(failingSince.getTime() + DISABLE_AFTER_DAYS * DAY_MS).toISOString()
      : null,
    previous_secret_until: isRotated ? previousSecretUntil.toISOString() : null,
  };
}
