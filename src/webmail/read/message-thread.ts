import type { OpenBlob } from '../../blobs/blobs.ts';
import type { AttachedHead } from './attached-head.ts';
import { AnsweringThread } from '../../concurrency/answering-thread.ts';
import { type AppError, unavailable } from '../../model/app-error.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { FairSlots } from '../../concurrency/fair-slots.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { WebmailReadResult, CleanHtml, DocumentRequest, WebmailReadTask } from './question.ts';
import type { ReadMessage } from './read-message.ts';
import { TIMINGS } from './timings.ts';
import { TOO_MUCH } from './too-much.ts';

/** A parsed message with its sanitized HTML. */
export interface OpenedMessage {
  /** The header of an attached message. Null for a message of the mailbox, and if it cannot be read. */
  head: AttachedHead | null;
  message: Omit<ReadMessage, 'html'>;
  /** Null if the message has no HTML that can be shown. */
  clean: CleanHtml | null;
  /** Whether reading took too long. Another attempt may succeed on a less busy machine. */
  isAbandoned: boolean;
}

type MessageThreadTimings = Pick<
  typeof TIMINGS,
  'threadAnswerMs' | 'threadIdleMs' | 'threadLoadMs' | 'readTimeoutMs'
>;

/** The number of octets read from a blob at a time. */
const STEP = 4 * 1_048_576;
const MAX_WAITING = 50;
const MAX_WAITING_OF_PROJECT = 500;

/**
 * Reads messages in a worker thread, so that a malicious message blocks nothing else. The thread is shared fairly between projects, and
 * within a project between its mailboxes: each mailbox has one slot in the queue.
 */
export class MessageThread implements AsyncDisposable {
  readonly #ofMailboxes = new FairSlots({
    slots: Number.MAX_SAFE_INTEGER,
    slotsPerOwner: 1,
    maxWaitingPerOwner: MAX_WAITING,
    makeError: tooMany,
  });
  readonly #slots = new FairSlots({
    slots: 3,
    slotsPerOwner: 2,
    maxWaitingPerOwner: MAX_WAITING_OF_PROJECT,
    makeError: tooMany,
  });
  readonly #threadLock = new Semaphore(1);
  readonly #timings: MessageThreadTimings;
  readonly #thread: AnsweringThread<WebmailReadResult>;
  /** Until this time (`performance.now()`) the thread is certainly running, and `prepare` does nothing. */
  #preparedUntilMs = 0;

  constructor(timings: MessageThreadTimings = TIMINGS) {
    this.#timings = timings;
    this.#thread = new AnsweringThread({
      name: 'reading mail for people',
      code: new URL('./thread.ts', import.meta.url),
      timings,
    });
  }

  /** @param isAttached whether the header is read, too @throws AppError unavailable @returns null if the bytes of the message no longer exist */
  open(
    mailbox: MailboxKey,
    open: () => Promise<OpenBlob | null>,
    isAttached = false,
  ): Promise<OpenedMessage | null> {
    return this.#inSlot(mailbox, async () => {
      const blob = await open();
      const raw = blob === null ? null : await sharedBytes(blob);
      if (raw === null) return null;
      const answer = await this.#ask({ kind: 'read', raw, isAttached });
      if (answer?.kind !== 'read') return UNREADABLE;
      const { head } = answer;
      const { html, ...message } = answer.message;
      if (html === null) return { head, message, clean: null, isAbandoned: false };
      const cleaned = await this.#clean(html);
      if (cleaned?.kind !== 'clean')
        return { head, message: { ...message, htmlProblem: TOO_MUCH }, clean: null, isAbandoned: true };
      return { head, message, clean: cleaned.clean, isAbandoned: false };
    });
  }

  /**
   * Loads the modules for reading HTML ahead of time. Loading takes half a second.
   * @returns false if loading took too long
   */
  async prepare(): Promise<boolean> {
    if (performance.now() < this.#preparedUntilMs) return true;
    this.#preparedUntilMs = performance.now() + this.#timings.threadIdleMs;
    const isLoaded = await this.#threadLock.run(() => this.#load());
    if (!isLoaded) this.#preparedUntilMs = 0;
    return isLoaded;
  }

  /** @throws AppError unavailable */
  document(mailbox: MailboxKey, clean: string, options: DocumentRequest): Promise<string> {
    return this.#inSlot(mailbox, async () => {
      const answer = await this.#ask({ kind: 'document', clean, options });
      if (answer?.kind !== 'document') throw tooMany();
      return answer.document;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  /** Waits until the thread has loaded, so that a message is not abandoned only because a new thread on a busy machine is still loading. */
  #clean(html: string): Promise<WebmailReadResult | null> {
    return this.#threadLock.run(async () => {
      await this.#load();
      return this.#thread.ask(async () => [{ kind: 'clean', html } satisfies WebmailReadTask, []]);
    });
  }

  async #load(): Promise<boolean> {
    const question: WebmailReadTask = { kind: 'clean', html: '' };
    return (await this.#thread.ask(async () => [question, []], this.#timings.threadLoadMs)) !== null;
  }

  #ask(question: Exclude<WebmailReadTask, { kind: 'clean' }>): Promise<WebmailReadResult | null> {
    return this.#threadLock.run(() => this.#thread.ask(async () => [question, []]));
  }

  async #inSlot<T>({ projectId, mailboxId }: MailboxKey, work: () => Promise<T>): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tooMany()), this.#timings.readTimeoutMs);
    try {
      return await this.#ofMailboxes.run(mailboxId, late.signal, () =>
        this.#slots.run(projectId, late.signal, work),
      );
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The result for a message that cannot be read: only its stored fields and its source are available. */
const UNREADABLE: OpenedMessage = {
  head: null,
  message: {
    htmlProblem: 'Displaying this message takes too long. You can view its source or download it.',
    text: { blocks: [], isCut: false },
    textProblems: [],
    attached: [],
    calendar: null,
    fields: [],
  },
  clean: null,
  isAbandoned: true,
};

async function sharedBytes(blob: OpenBlob): Promise<SharedArrayBuffer | null> {
  const shared = new SharedArrayBuffer(blob.size);
  const bytes = new Uint8Array(shared);
  for (let start = 0; start < blob.size; start += STEP) {
    const piece = await blob.read({ start, end: Math.min(blob.size, start + STEP) });
    if (piece === null) return null;
    bytes.set(piece, start);
  }
  return shared;
}

function tooMany(): AppError {
  return unavailable('Too many messages of this mailbox are being opened. Try again in a few seconds.');
}
