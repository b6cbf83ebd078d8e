/** Sends the messages of the outbox. Runs in all processes with the role http; each message is claimed by one of them. */
import type { Logger } from 'pino';
import { within } from '../concurrency/within.ts';
import { type Database, isDatabaseAway } from '../db/database.ts';
import type { Sealer } from '../db/seal.ts';
import { encodeId } from '../model/ids.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import type { AlertChannelName } from '../model/alerts.ts';
import type { AlertChannels, ChannelResult } from './channel.ts';
import { type ClaimedRow, claimMessages, messageOf, settleMessage, targetOf } from './claim-messages.ts';

/**
 * The maximum numbers of messages that a process sends at once. Email has slots of its own: a mail server that takes a minute to respond may
 * be the problem that other channels report.
 */
const SLOTS: readonly { channels: readonly AlertChannelName[]; atOnce: number }[] = [
  { channels: ['email'], atOnce: 4 },
  { channels: ['slack', 'webhook'], atOnce: 5 },
];
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
  readonly #slots = SLOTS.map((each) => ({ ...each, inFlight: new Set<Promise<void>>() }));
  #claiming: Promise<void> | null = null;
  /** Whether a slot has become free, or time has passed, since the current claim began. */
  #isClaimDue = false;
  #isStopped = false;

  constructor(options: MessageSenderOptions) {
    this.#options = options;
  }

  /** Starts sending if messages are due and a slot is free. Never throws. */
  tick(): void {
    if (this.#isStopped) return;
    this.#isClaimDue = true;
    this.#claiming ??= this.#claimDue();
  }

  /** Sends all messages that are due. */
  async send(): Promise<void> {
    this.tick();
    for (;;) {
      const inFlight = this.#slots.flatMap((each) => [...each.inFlight]);
      if (this.#claiming === null && inFlight.length === 0) return;
      await (this.#claiming ?? Promise.race(inFlight));
    }
  }

  async #claimDue(): Promise<void> {
    try {
      while (this.#isClaimDue && !this.#isStopped) {
        this.#isClaimDue = false;
        await this.#claim();
      }
    } catch (error) {
      this.#report(error);
    } finally {
      // Set at once, so that no slot becomes free unnoticed between the last claim and the end.
      this.#claiming = null;
    }
  }

  /** A slot is filled as soon as it is free, so that a slow receiver does not delay messages to others. */
  async #claim(): Promise<void> {
    for (const { channels, atOnce, inFlight } of this.#slots) {
      const free = atOnce - inFlight.size;
      if (free === 0) continue;
      for (const row of await claimMessages(this.#options.database, channels, free)) {
        const sending = this.#sendOne(row)
          .catch((error: unknown) => this.#report(error))
          .finally(() => {
            inFlight.delete(sending);
            this.tick();
          });
        inFlight.add(sending);
      }
    }
  }

  #report(error: unknown): void {
    if (!this.#isStopped && !isDatabaseAway(error))
      this.#options.logger.error({ err: error }, LOG_MESSAGES.alertsNotSent);
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
    await within(CLOSE_TIMEOUT_MS, this.send(), undefined);
  }
}

function failed(error: string): ChannelResult {
  return { isDelivered: false, error, httpStatus: null, isPermanent: false };
}
