import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedPostgres, startEmbedded } from '../installation/embedded/embedded.ts';
import { Backoff } from './backoff.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import type { SupervisorLog } from './terminal.ts';

/** The embedded PostgreSQL, which is restarted whenever it dies. The children reconnect without help. */
export class SupervisedPostgres {
  readonly #dataDir: string;
  readonly #logger: SupervisorLog;
  readonly #stopping = new AbortController();
  #starting: Promise<EmbeddedPostgres>;

  /** Starts PostgreSQL without waiting for it. The caller holds the lock of the folder. */
  constructor(dataDir: string, logger: SupervisorLog) {
    this.#dataDir = dataDir;
    this.#logger = logger;
    this.#starting = startEmbedded(dataDir);
    // `url` throws this error. If it is not called in time, this handler keeps the rejection from counting as unhandled.
    this.#starting.catch(() => {});
  }

  /**
   * The URL of the database. Resolves when PostgreSQL accepts connections.
   * @throws StartupError
   */
  async url(): Promise<string> {
    const { url } = await this.#starting;
    return url;
  }

  /** Restarts PostgreSQL whenever it dies. Resolves after `stop`. */
  async keep(): Promise<void> {
    const { signal } = this.#stopping;
    const logger = this.#logger;
    for (const backoff = new Backoff(); ; ) {
      const startedAt = Date.now();
      await this.#starting.then(
        (postgres) => postgres.exited,
        ({ message }: Error) => logger.warn({ reason: message }, LOG_MESSAGES.postgresNotStarted),
      );
      if (signal.aborted) return;
      const waitMs = backoff.nextMs(Date.now() - startedAt);
      logger.warn({ itsLog: `${this.#dataDir}/postgres.log`, nextInMs: waitMs }, LOG_MESSAGES.postgresEnded);
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const endedAt = Date.now();
      this.#starting = startEmbedded(this.#dataDir);
      this.#starting.then(
        () => logger.info({ durationMs: Date.now() - endedAt }, LOG_MESSAGES.postgresRunsAgain),
        // At the beginning of the loop, the same promise is awaited and its error is logged.
        () => {},
      );
    }
  }

  /**
   * Stops PostgreSQL. If writing the checkpoint takes longer than `patienceMs`, stops it without one. Resolves when PostgreSQL has ended.
   */
  async stop(patienceMs: number): Promise<void> {
    this.#stopping.abort();
    const postgres = await this.#starting.catch(() => null);
    const timer = setTimeout(() => void postgres?.stop('immediate'), patienceMs);
    await postgres?.stop('fast');
    clearTimeout(timer);
  }

  /** Kills PostgreSQL without waiting for it to end. */
  kill(): void {
    this.#stopping.abort();
    void this.#starting.then((postgres) => postgres.stop('immediate')).catch(() => {});
  }
}
