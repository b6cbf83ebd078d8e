import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { type Database, isDatabaseAway } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { feedReplay, findReplays } from './feed-replay.ts';
import { feedRetry, findRetries } from './feed-retry.ts';

/** The pause between two rounds: at least this long, and at least `PAUSE_FACTOR` times the duration of a round. */
const PAUSE_MS = 25;
const PAUSE_FACTOR = 4;
/** The pause when no delivery could be made due, because the queues are full. */
const FULL_PAUSE_MS = 250;

/** Condition: a replay or a retry is in progress. */
export const HAS_REPLAYS = sql`
  (exists (select from webhook_replays where ended_at is null) or exists (select from webhook_retries where ended_at is null))`;

/**
 * One step of each replay and each retry in progress. Both fill the same queue of a webhook, so the one that comes first may leave no space
 * for the other. The order is random: if the two took turns, the turns could fall into step with a slow receiver.
 */
export async function findSteps(database: Database): Promise<(() => Promise<number>)[]> {
  const replays = (await findReplays(database)).map((key) => () => feedReplay(database, key));
  const retries = (await findRetries(database)).map((key) => () => feedRetry(database, key));
  return Math.random() < 0.5 ? [...replays, ...retries] : [...retries, ...replays];
}

export interface ReplayFeedOptions {
  database: Database;
  logger: Logger;
  /** Called when deliveries have become due. */
  wake: () => void;
}

/**
 * Continues the replays and retries of all webhooks, round-robin. Every worker has a feed, and a feed skips those that another feed is
 * working on.
 */
export class ReplayFeed implements AsyncDisposable {
  readonly #options: ReplayFeedOptions;
  readonly #stop = new AbortController();
  #feeding: Promise<void> | null = null;

  constructor(options: ReplayFeedOptions) {
    this.#options = options;
  }

  /** Begins a round if any replay or retry is in progress. Never throws. */
  tick(): void {
    if (this.#stop.signal.aborted) return;
    this.#feeding ??= this.#feed()
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted && !isDatabaseAway(error))
          this.#options.logger.error({ err: error }, LOG_MESSAGES.replayFailed);
      })
      .finally(() => {
        this.#feeding = null;
      });
  }

  /** Runs one step of each replay and retry, round after round, until none is in progress. */
  async #feed(): Promise<void> {
    const { database, wake } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const startMs = performance.now();
      const steps = await findSteps(database);
      if (steps.length === 0) return;
      let made = 0;
      for (const step of steps) {
        if (signal.aborted) return;
        made += await retryingConflicts(step);
      }
      if (made > 0) wake();
      const pauseMs = Math.max(PAUSE_MS, PAUSE_FACTOR * (performance.now() - startMs));
      await sleep(made > 0 ? pauseMs : Math.max(pauseMs, FULL_PAUSE_MS), undefined, { signal }).catch(
        () => {},
      );
    }
  }

  /** Ends the feed after the current step. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#feeding;
  }
}
