/** Health probes: whether the process is alive, and whether it can accept email (docs/operate/health.md). */
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import { describeFault, describeFaultHere, writeDurably } from '../../db/durable-write.ts';
import type { Presence } from '../../db/presence.ts';
import { unavailable } from '../../model/app-error.ts';
import { within } from '../../concurrency/within.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';

export const HEALTH_PATHS = ['/healthz', '/readyz'] as const;

/** Maximum time that a probe waits for the check. Every probe must get a response within two seconds. */
const PATIENCE_MS = 1_800;
/** How long the result of a check is cached. */
const FRESH_MS = 1_000;

export interface ReadinessOptions {
  /** The connection pool that is used to accept emails. */
  database: Database;
  logger: Logger;
  /** Reports whether this machine's clock is accurate enough to serve requests. */
  clock: Pick<Presence, 'whyNotReady'>;
  /** The data folder, if the database is embedded. Null or undefined otherwise. */
  dataDir?: string | null;
}

/** Whether this process can accept an email now and store it durably. */
export class Readiness {
  readonly #options: ReadinessOptions;
  #isStopping = false;
  /** Whether a check is running. A check may outlast the probes that wait for it, and checks never overlap. */
  #isChecking = false;
  #found: Promise<string | null> = Promise.resolve(null);
  #freshUntilMs = 0;
  #reported: string | null = null;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** Reports "not ready" from now on, so that load balancers send requests elsewhere. */
  stop(): void {
    this.#isStopping = true;
  }

  /**
   * Resolves with the reason why the process is not ready, as a sentence that is safe to publish. Null if the process is ready. Queries the
   * database at most once a second, however many probes arrive.
   */
  async whyNot(): Promise<string | null> {
    if (this.#isStopping) return 'The service is stopping.';
    if (!this.#isChecking && performance.now() >= this.#freshUntilMs) this.#found = this.#check();
    return this.#found;
  }

  async #check(): Promise<string | null> {
    this.#isChecking = true;
    // Probes that arrive during a check wait for its result.
    let late = 'The service has no free connection to the database.';
    const checked = this.#ask(() => {
      late = 'The database does not respond.';
    }).finally(() => {
      this.#isChecking = false;
    });
    const found = await within(PATIENCE_MS, checked, undefined);
    const reason = found === undefined ? late : found;
    this.#freshUntilMs = performance.now() + FRESH_MS;
    this.#logChange(reason);
    return reason;
  }

  async #ask(onConnected: () => void): Promise<string | null> {
    try {
      if (!(await writeDurably(this.#options.database, onConnected))) return 'The database is read-only.';
      return this.#options.clock.whyNotReady();
    } catch (error) {
      const { dataDir = null } = this.#options;
      return dataDir === null ? describeFault(error) : await describeFaultHere(error, dataDir);
    }
  }

  /** Logs each change of readiness once. */
  #logChange(reason: string | null): void {
    if (reason === this.#reported) return;
    this.#reported = reason;
    if (reason === null) this.#options.logger.info({}, LOG_MESSAGES.readyAgain);
    else this.#options.logger.warn({ reason }, LOG_MESSAGES.notReady);
  }
}

/**
 * @param whyNotReady see `Readiness.whyNot`
 * @throws AppError unavailable if the process is not ready
 */
export async function serveHealth(
  path: (typeof HEALTH_PATHS)[number],
  whyNotReady: () => Promise<string | null>,
): Promise<{ status: string }> {
  if (path === '/healthz') return { status: 'ok' };
  const reason = await whyNotReady();
  if (reason === null) return { status: 'ready' };
  throw unavailable(reason);
}
