import { Worker } from 'node:worker_threads';
import * as clock from '../../model/clock.ts';
import { BoundedMap } from '../../concurrency/bounded-map.ts';
import { firstUuidAt } from '../../model/ids.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';
import { SEGMENT_DOCUMENTS } from './index-mailbox.ts';
import { TIMINGS } from './timings.ts';

/** A task of the indexing thread. */
export interface IndexRequest {
  key: MailboxKey;
  /** Only messages with ids below this id are indexed. */
  before: string;
}

/**
 * The maximum number of mailboxes in `#counts`. Each mailbox takes about 100 bytes. The next search in an evicted mailbox counts its
 * messages again.
 */
const MAX_COUNTED = 100_000;
const MAX_HEAP_MB = 768;
/** Added to the minimum age of messages, to allow for clock differences. */
const BEHIND_MS = 250;

/**
 * Indexes the words of mailboxes in a thread that runs only when needed. Small mailboxes are scanned instead of indexed. No state is lost
 * when the process ends, because each search reports how many messages are not indexed.
 */
export class SearchIndexer implements AsyncDisposable {
  readonly #url: string;
  readonly #timings: Pick<typeof TIMINGS, 'minAgeMs'>;
  readonly #onError: (error: unknown) => void;
  /** The number of new messages in each mailbox since its last indexing, as far as this process knows. */
  readonly #counts = new BoundedMap<string, number>(MAX_COUNTED);
  readonly #waiting = new Map<string, MailboxKey>();
  /**
   * Timers that start indexing when messages are old enough. There is one timer for every `SEGMENT_DOCUMENTS` new messages in a mailbox.
   */
  readonly #timers = new Set<NodeJS.Timeout>();
  #thread: Worker | null = null;
  #ended: Promise<void> = Promise.resolve();

  /** @param onError called when the thread fails; the next search starts the indexing again */
  constructor(
    url: string,
    onError: (error: unknown) => void,
    timings: Pick<typeof TIMINGS, 'minAgeMs'> = TIMINGS,
  ) {
    this.#timings = timings;
    this.#url = url;
    this.#onError = onError;
  }

  /** Records that messages were added to a mailbox (`added`), or that a search had to scan messages (`unindexed`). */
  note(key: MailboxKey, messages: number, kind: 'added' | 'unindexed'): void {
    const name = `${key.projectId} ${key.mailboxId}`;
    const count = kind === 'added' ? (this.#counts.get(name) ?? 0) + messages : messages;
    this.#counts.set(name, count);
    if (count < SEGMENT_DOCUMENTS) return;
    this.#counts.delete(name);
    const index = (): void => {
      this.#waiting.set(name, key);
      if (this.#thread === null) this.#start();
    };
    if (kind === 'unindexed') return index();
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        index();
      },
      Math.max(0, this.#timings.minAgeMs + BEHIND_MS),
    );
    this.#timers.add(timer.unref());
  }

  /** Resolves when no indexing is running or scheduled. */
  async idle(): Promise<void> {
    while (this.#thread !== null || this.#timers.size > 0)
      await (this.#thread === null ? new Promise(setImmediate) : this.#ended);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#waiting.clear();
    await this.#thread?.terminate();
    await this.#ended;
  }

  #start(): void {
    const before = firstUuidAt(new Date(clock.nowMs() - this.#timings.minAgeMs));
    const requests = [...this.#waiting.values()].map((key): IndexRequest => ({ key, before }));
    this.#waiting.clear();
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      name: 'indexing of words',
      workerData: { url: this.#url, requests },
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    thread.unref();
    thread.on('error', this.#onError);
    this.#thread = thread;
    this.#ended = new Promise((resolve) => {
      thread.on('exit', () => {
        this.#thread = null;
        if (this.#waiting.size > 0) this.#start();
        resolve();
      });
    });
  }
}
