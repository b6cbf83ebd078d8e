import type { Logger } from 'pino';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { mayWorkLater } from './database.ts';
import { logSteps } from './log-steps.ts';
import { type MigrateOptions, runContracts } from './migrate.ts';
import type { Presence } from './presence.ts';
import { TIMINGS } from './timings.ts';

export interface ContractingOptions extends Pick<MigrateOptions, 'migrations'> {
  url: string;
  presence: Pick<Presence, 'unseenMs'>;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'contractCheckMs'>;
}

/**
 * Runs the migrations that remove schema that only older code needs, an hour after the last process with older code was seen. During this
 * hour an upgrade can still be rolled back.
 */
export class Contracting implements Disposable {
  readonly #options: ContractingOptions;
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;

  constructor(options: ContractingOptions) {
    this.#options = options;
    const { contractCheckMs } = options.timings ?? TIMINGS;
    this.#timer = setInterval(() => void this.#check(), contractCheckMs);
  }

  /** Stops the timer. A running migration continues; if the process ends first, a later start resumes the migration. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const { url, presence, logger, migrations } = this.#options;
    try {
      const isQuiet = (version: string): boolean => presence.unseenMs(version) >= TIMINGS.contractAfterMs;
      const isAll = await runContracts(url, isQuiet, {
        ...(migrations && { migrations }),
        onStep: logSteps(logger),
      });
      if (isAll) clearInterval(this.#timer);
    } catch (err) {
      if (!mayWorkLater(err)) logger.error({ err }, LOG_MESSAGES.contractFailed);
    } finally {
      this.#isChecking = false;
    }
  }
}
