/** Returns snoozed messages to their folders at their time. Each worker polls; `Snoozing` keeps two workers from waking the same message. */
import type { Logger } from 'pino';
import { isDatabaseAway } from '../../db/database.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { Snoozing } from './snoozing.ts';

/** The maximum number of mailboxes per scan. */
const MAX_MAILBOXES = 50;

export class SnoozeWaker implements AsyncDisposable {
  readonly #snoozing: Pick<Snoozing, 'findDue' | 'wakeDue'>;
  readonly #logger: Pick<Logger, 'error'>;
  #polling: Promise<void> | null = null;
  #isStopped = false;

  constructor(snoozing: Pick<Snoozing, 'findDue' | 'wakeDue'>, logger: Pick<Logger, 'error'>) {
    this.#snoozing = snoozing;
    this.#logger = logger;
  }

  /** Starts a poll, unless one is running. Never throws. */
  tick(): void {
    if (this.#isStopped) return;
    this.#polling ??= this.#scan()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#polling = null;
      });
  }

  /** Wakes one batch of each mailbox, so that a mailbox with many messages does not delay the others. The next poll continues. */
  async #scan(): Promise<void> {
    for (const mailbox of await this.#snoozing.findDue(MAX_MAILBOXES)) {
      if (this.#isStopped) return;
      await this.#snoozing.wakeDue(mailbox).catch((error: unknown) => this.#failed(error));
    }
  }

  #failed(error: unknown): void {
    if (!this.#isStopped && !isDatabaseAway(error))
      this.#logger.error({ err: error }, LOG_MESSAGES.wakingFailed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    await this.#polling;
  }
}
