/**
 * Writes the outcomes of attempts, many per commit. Retries while the database is unavailable, because a successful delivery would
 * otherwise be made again.
 */
import type { Logger } from 'pino';
import { isDatabaseAway, mayWorkLater } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { writeUntilDone } from '../../db/retry.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { ClaimedAttempt, Settled } from './delivery-queue.ts';

const MAX_BATCH = 256;

export class DeliveryRecorder<Claimed extends ClaimedAttempt> {
  readonly #logger: Logger;
  readonly #commit: GroupCommit<Settled<Claimed>, void>;
  #unrecorded = 0;
  #closed = false;

  constructor(queue: { settle(batch: readonly Settled<Claimed>[]): Promise<void> }, logger: Logger) {
    this.#logger = logger;
    this.#commit = new GroupCommit({
      flush: async (batch) => {
        await queue.settle(batch);
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
  async record(finished: Settled<Claimed>, isClaimed: () => boolean): Promise<void> {
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
