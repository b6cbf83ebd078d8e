/** Sends the messages of the outbox. Runs in all processes with the role http; each message is claimed by one of them. */
import type { Logger } from 'pino';
import { within } from '../concurrency/within.ts';
import { type Database, isDatabaseAway } from '../db/database.ts';
import type { Sealer } from '../db/seal.ts';
import { encodeId } from '../model/ids.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import type { AlertChannels, ChannelResult } from './channel.ts';
import { type ClaimedRow, claimMessages, messageOf, settleMessage, targetOf } from './claim-messages.ts';

/** The maximum number of messages that a process sends at once. */
const AT_ONCE = 5;
const CLOSE_TIMEOUT_MS = 1_000;

export interface MessageSenderOptions {
  database: Database;
  sealer: Sealer;
  channels: AlertChannels;
  baseUrl(): string;
  logger: Logger;
}

export class MessageSender implements AsyncDisposable {
  readonly #options: MessageSenderOptions;
  #sending: Promise<void> | null = null;
  #isStopped = false;

  constructor(options: MessageSenderOptions) {
    this.#options = options;
  }

  /** Starts sending if messages are due. Never throws. */
  tick(): void {
    if (this.#sending !== null || this.#isStopped) return;
    this.#sending = this.send()
      .catch((error: unknown) => {
        if (!this.#isStopped && !isDatabaseAway(error))
          this.#options.logger.error({ err: error }, LOG_MESSAGES.alertsNotSent);
      })
      .finally(() => {
        this.#sending = null;
      });
  }

  /** Sends all messages that are due. */
  async send(): Promise<void> {
    while (!this.#isStopped) {
      const claimed = await claimMessages(this.#options.database, AT_ONCE);
      await Promise.all(claimed.map((row) => this.#sendOne(row)));
      if (claimed.length < AT_ONCE) return;
    }
  }

  async #sendOne(row: ClaimedRow): Promise<void> {
    const result = await this.#attempt(row);
    await settleMessage(this.#options.database, row, result);
  }

  async #attempt(row: ClaimedRow): Promise<ChannelResult> {
    const { channels, sealer, baseUrl, logger } = this.#options;
    try {
      const channel = channels[row.channel];
      if (channel === undefined) return failed('this installation does not offer the channel');
      return await channel.send(messageOf(row, baseUrl()), targetOf(sealer, row));
    } catch (error) {
      logger.error({ err: error, alertId: encodeId('alr', row.subscriptionId) }, LOG_MESSAGES.alertsNotSent);
      return failed('an internal error, which the log of the service describes');
    }
  }

  /** Waits a moment for the messages that are being sent. Other processes send the rest again when the claims have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    if (this.#sending !== null) await within(CLOSE_TIMEOUT_MS, this.#sending, undefined);
  }
}

function failed(error: string): ChannelResult {
  return { isDelivered: false, error, httpStatus: null, isPermanent: false };
}
