/**
 * Writes the outcomes of attempts, many per commit. Retries while the database is unavailable, because a successful delivery would
 * otherwise be made again.
 */
import type { Logger } from 'pino';
import { type Database, isDatabaseAway, mayWorkLater } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { writeUntilDone } from '../../db/retry.ts';
import { encodeId } from '../../model/ids.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { settleDeliveries, type SettledDelivery } from './settle-deliveries.ts';

const MAX_BATCH = 256;

export class DeliveryRecorder {
  readonly #logger: Logger;
  readonly #commit: GroupCommit<SettledDelivery, void>;
  #unrecorded = 0;
  #closed = false;

  constructor(database: Database, logger: Logger) {
    this.#logger = logger;
    this.#commit = new GroupCommit({
      flush: async (batch) => {
        for (const { projectId, webhookId } of await settleDeliveries(database, batch)) {
          const ids = { projectId: encodeId('prj', projectId), webhookId: encodeId('wh', webhookId) };
          logger.warn({ ...ids, reason: 'failing' }, LOG_MESSAGES.webhookDisabled);
        }
        return batch.map(() => undefined);
      },
      // Two concurrent commits would only wait for each other, because they lock the same webhooks.
      flights: 1,
      maxItems: MAX_BATCH,
    });
  }

  /** The number of finished attempts whose outcome is not written yet. */
  get unrecorded(): number {
    return this.#unrecorded;
  }

  /** Stops all writes. Called when the worker shuts down. */
  close(): void {
    this.#closed = true;
  }

  /**
   * Resolves when the outcome is written or abandoned.
   * @param isClaimed whether the claim is still valid. After the claim expires, an outcome that the database rejects as invalid is
   * abandoned, because the database would reject it forever
   */
  async record(finished: SettledDelivery, isClaimed: () => boolean): Promise<void> {
    this.#unrecorded += 1;
    let isRefused = true;
    await writeUntilDone(
      () => this.#commit.add(finished),
      () => !this.#closed && (!isRefused || isClaimed()),
      (error) => {
        isRefused = !mayWorkLater(error);
        this.report(error, 'complete');
      },
    );
    this.#unrecorded -= 1;
  }

  report(error: unknown, step: string): void {
    this.#logger[isDatabaseAway(error) ? 'debug' : 'error'](
      { err: error, step },
      LOG_MESSAGES.deliveriesNotWritten,
    );
  }
}
