import { Worker } from 'node:worker_threads';
import * as clock from '../../model/clock.ts';
import { BoundedMap } from '../../concurrency/bounded-map.ts';
import { firstUuidAt } from '../../model/ids.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';
import { SEGMENT_DOCUMENTS } from './index-mailbox.ts';
import { TIMINGS } from './timings.ts';

/** What the thread is asked for. */
export interface IndexRequest {
  key: MailboxKey;
  /** Only messages with smaller ids. */
  before: string;
}

/** Each takes some 100 bytes. Who is forgotten is found again by the next search. */
const MAX_COUNTED = 100_000;
const MAX_HEAP_MB = 768;
/** What has just come is old enough for a segment after the least age, and so long for clocks. */
const BEHIND_MS = 250;

/**
 * Has the words of mailboxes indexed, in a thread that runs only while there is something to do. A small mailbox never gets
 * there: it is looked through. Nothing is lost with a process: whoever searches in a mailbox says how much is not indexed.
 */
export class SearchIndexer implements AsyncDisposable {
  readonly #url: string;
  readonly #timings: Pick<typeof TIMINGS, 'minAgeMs'>;
  readonly #onError: (error: unknown) => void;
  /** Messages since the last time that it was indexed, as far as this process knows. */
  readonly #counts = new BoundedMap<string, number>(MAX_COUNTED);
  readonly #waiting = new Map<string, MailboxKey>();
  /** One for each segment's worth of messages that are too young as yet. */
  readonly #timers = new Set<NodeJS.Timeout>();
  #thread: Worker | null = null;
  #ended: Promise<void> = Promise.resolve();

  /** @param onError of a thread that ended: what it was to do is done at the next search */
  constructor(
    url: string,
    onError: (error: unknown) => void,
    timings: Pick<typeof TIMINGS, 'minAgeMs'> = TIMINGS,
  ) {
    this.#timings = timings;
    this.#url = url;
    this.#onError = onError;
  }

  /** So many messages came into a mailbox, or were looked through by a search. */
  note(key: MailboxKey, messages: number, kind: 'came' | 'unindexed'): void {
    const name = `${key.projectId} ${key.mailboxId}`;
    const count = kind === 'came' ? (this.#counts.get(name) ?? 0) + messages : messages;
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

  /** Resolves when nothing is to do. */
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
