/**
 * The worker role: one life after another until it is stopped. Beside its own deliveries a worker ends the lives
 * of workers that died, and clears what has outlived its time.
 */
import { hostname } from 'node:os';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { type Database, isDatabaseAway } from '../../db/database.ts';
import { listenToQueue } from '../../db/notify.ts';
import type { DkimKeyring } from '../../domains/dkim-keyring.ts';
import { Delivery } from '../../mail/deliver/delivery.ts';
import { recordGivenUp } from '../../mail/deliver/give-up.ts';
import type { Provider } from '../../mail/deliver/provider.ts';
import { newUuid } from '../../model/ids.ts';
import { endLife, findExpiredLives } from '../../queue/end-life.ts';
import { Life } from '../../queue/life.ts';

const TICK_MS = 1_000;
const JUDGE_MS = 5_000;
const CLEAR_MS = 10 * 60_000;
/** Of the ten seconds that a stop may take, some are for what comes after. */
const GRACE_MS = 7_000;

export interface WorkerOptions {
  database: Database;
  databaseUrl: string;
  provider: Provider;
  keyring: DkimKeyring;
  logger: Logger;
  /** Of the first life. */
  epoch: string;
  /** Lives whose process is known to be dead. */
  deadEpochs: readonly string[];
}

export class Worker implements AsyncDisposable {
  readonly #options: WorkerOptions;
  readonly #listening: AsyncDisposable;
  readonly #timer: NodeJS.Timeout;
  #epoch: string;
  #life: Life | null = null;
  #delivery: Delivery | null = null;
  #nextJudgeMs = 0;
  #nextClearMs = 0;
  #ticking: Promise<void> = Promise.resolve();
  #stopping = false;

  private constructor(options: WorkerOptions) {
    this.#options = options;
    this.#epoch = options.epoch;
    this.#listening = listenToQueue(options.databaseUrl, () => this.#delivery?.wake());
    let busy = false;
    const tick = (): void => {
      if (busy || this.#stopping) return;
      busy = true;
      this.#ticking = this.#tick()
        .catch((error: unknown) => {
          if (!isDatabaseAway(error))
            options.logger.error({ err: error }, 'the worker could not look after its life');
        })
        .finally(() => {
          busy = false;
        });
    };
    this.#timer = setInterval(tick, TICK_MS);
    tick();
  }

  /**
   * Ends the lives that are known to be over before it takes up anything itself: if this process dies at once too,
   * its successor need not know of them.
   */
  static async start(options: WorkerOptions): Promise<Worker> {
    for (const epoch of options.deadEpochs) await endLife(options.database, epoch, true, recordGivenUp);
    return new Worker(options);
  }

  async #tick(): Promise<void> {
    const { database } = this.#options;
    if (this.#life?.lost) {
      this.#life.stop();
      // What it holds in memory is not its own any more; what is in flight finds that out at the final dot.
      void this.#delivery?.stop(0);
      this.#life = null;
      this.#epoch = newUuid();
    }
    if (this.#life === null) {
      this.#life = await Life.begin(database, this.#epoch, `${hostname()}/${process.pid}`);
      this.#delivery = new Delivery({ ...this.#options, life: this.#life });
    }
    const now = performance.now();
    if (this.#life.mayJudge && now >= this.#nextJudgeMs) {
      this.#nextJudgeMs = now + JUDGE_MS;
      for (const epoch of await findExpiredLives(database))
        await endLife(database, epoch, false, recordGivenUp);
    }
    if (now >= this.#nextClearMs) {
      this.#nextClearMs = now + CLEAR_MS;
      await sql`delete from idempotency_keys where created_at < now() - interval '24 hours'`.execute(
        database,
      );
    }
  }

  /** Finishes what is in hand, gives back the rest, and ends the life unless something is left to the lease. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#timer);
    await this.#listening[Symbol.asyncDispose]();
    await this.#ticking;
    const leftToLease = (await this.#delivery?.stop(GRACE_MS)) ?? false;
    this.#life?.stop();
    if (this.#life !== null && !leftToLease) {
      await endLife(this.#options.database, this.#life.epoch, true, recordGivenUp).catch(() => {});
    }
    await this.#options.provider.close();
  }
}
