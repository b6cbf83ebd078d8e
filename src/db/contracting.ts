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
  timings?: Pick<typeof TIMINGS, 'contractLookMs'>;
}

/**
 * Takes away what older code needed, an hour after the last process of it was seen. Until then an upgrade can be taken
 * back.
 */
export class Contracting implements Disposable {
  readonly #options: ContractingOptions;
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  constructor(options: ContractingOptions) {
    this.#options = options;
    const { contractLookMs } = options.timings ?? TIMINGS;
    this.#timer = setInterval(() => void this.#look(), contractLookMs);
  }

  /** What is under way goes on, or ends with the process: it is taken up again later. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
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
      this.#isLooking = false;
    }
  }
}
