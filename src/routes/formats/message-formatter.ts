import { AnsweringThread } from '../../concurrency/answering-thread.ts';
import { FairSlots } from '../../concurrency/fair-slots.ts';
import { type AppError, unavailable } from '../../model/app-error.ts';
import type { RouteFormat } from '../../model/routes.ts';
import type { RoutedMessage } from '../routed-message.ts';
import type { ReadPart } from '../../webmail/read/read-message.ts';
import {
  type FormatResult,
  type FormatTask,
  type FormattedMessage,
  type MessageLinks,
  type PartTask,
  READS,
} from './question.ts';
import { TIMINGS } from './timings.ts';

type FormatterTimings = Pick<typeof TIMINGS, 'threadAnswerMs' | 'threadIdleMs' | 'formatMs'>;

const MAX_WAITING_OF_PROJECT = 100;

/**
 * Writes messages in the formats of routes, in a worker thread, so that a malicious message blocks nothing else. One message is in memory at
 * a time; the projects share the thread fairly.
 */
export class MessageFormatter implements AsyncDisposable {
  readonly #slots = new FairSlots({
    slots: 1,
    slotsPerOwner: 1,
    maxWaitingPerOwner: MAX_WAITING_OF_PROJECT,
    makeError: tooMany,
  });
  readonly #timings: FormatterTimings;
  readonly #thread: AnsweringThread<FormatResult>;

  constructor(timings: FormatterTimings = TIMINGS) {
    this.#timings = timings;
    this.#thread = new AnsweringThread({
      name: 'writing mail for routes',
      code: new URL('./thread.ts', import.meta.url),
      timings,
    });
  }

  /** @throws AppError unavailable */
  async format(
    projectId: string,
    format: RouteFormat,
    message: RoutedMessage,
    links: MessageLinks,
  ): Promise<FormattedMessage> {
    if (format === 'raw' || format === 'action-mailbox')
      return { contentType: 'message/rfc822', body: message.raw };
    const body = await this.write(projectId, format, async () => message, links);
    if (body === null) throw tooMany();
    return { contentType: 'application/json', body };
  }

  /**
   * Writes a message as JSON.
   * @param open reads the message, when it is this message's turn. Attack: many requests for the largest message at a time
   * @returns null if `open` finds no message @throws AppError unavailable
   */
  async write(
    projectId: string,
    format: FormatTask['format'],
    open: () => Promise<RoutedMessage | null>,
    links: MessageLinks,
  ): Promise<Uint8Array | null> {
    const written = await this.#inSlot(projectId, async () => {
      const message = await open();
      if (message === null) return { body: null };
      // If that takes too long, less is read. Attack: one message holds up all that a program fetches after it.
      for (const reads of READS) {
        // Postmark's format cannot say that the text is missing.
        if (reads === 'header' && format === 'postmark') break;
        const written = await this.#ask({ kind: 'format', format, message, links, reads });
        if (written !== null) return written;
      }
      return null;
    });
    if (written === null || !('body' in written)) throw tooMany();
    return written.body;
  }

  /**
   * Finds a file of a message by its part number.
   * @param open reads the message, when it is this message's turn
   * @returns null if there is none @throws AppError unavailable
   */
  async findPart(
    projectId: string,
    open: () => Promise<Buffer | null>,
    part: string,
  ): Promise<ReadPart | null> {
    const found = await this.#inSlot(projectId, async () => {
      const raw = await open();
      return raw === null ? { part: null } : this.#ask({ kind: 'part', raw, part });
    });
    if (found === null || !('part' in found)) throw tooMany();
    return found.part;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  async #inSlot<Result>(projectId: string, work: () => Promise<Result>): Promise<Result> {
    const late = AbortSignal.timeout(this.#timings.formatMs);
    try {
      return await this.#slots.run(projectId, late, work);
    } catch (error) {
      throw error === late.reason ? tooMany() : error;
    }
  }

  #ask(task: FormatTask | PartTask): Promise<FormatResult | null> {
    return this.#thread.ask(async () => [task, []]);
  }
}

function tooMany(): AppError {
  return unavailable('Too many messages are being prepared for routes. Try again in a few seconds.');
}
