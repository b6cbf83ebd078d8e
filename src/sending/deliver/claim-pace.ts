import type { ClaimOptions, QueueClaim } from '../../queue/claim.ts';
import { FIRST_STREAM } from '../../queue/fair-shares.ts';
import type { DestinationQueues, Waiting } from './destination-queues.ts';

/** How often an empty queue is polled if no notification wakes the worker. */
const POLL_MS = 1_000;
/** The shortest pause between two claims while enough rows are ready. */
const BUSY_MS = 100;

/** Decides when a worker claims due rows, and which streams the claim leaves out. */
export class ClaimPace {
  readonly #queues: Pick<DestinationQueues, 'survey'>;
  readonly #pollMs: number;
  #nextMs = 0;
  #lastMs = 0;
  #lastServed = FIRST_STREAM;
  /** Streams that had enough rows in this worker's memory at the last claim. */
  #leftOut: Waiting['enough'] = new Map();

  /** @param isPolled whether an owner polls the queue and calls `wake` when rows are due */
  constructor(queues: Pick<DestinationQueues, 'survey'>, isPolled = false) {
    this.#queues = queues;
    this.#pollMs = isPolled ? Infinity : POLL_MS;
  }

  /** Called when there may be due rows. */
  wake(): void {
    this.#nextMs = 0;
  }

  /** Milliseconds until the next claim if nothing changes. */
  get pauseMs(): number {
    return Math.min(this.#nextMs - performance.now(), POLL_MS);
  }

  /**
   * The options of a claim to make now. Null: claim nothing now.
   * @param limit the maximum number of rows in the claim
   */
  next(limit: number): Required<ClaimOptions> | null {
    const nowMs = performance.now();
    const isTime = nowMs >= this.#nextMs;
    if (!isTime && this.#leftOut.size === 0) return null;
    const { isFull, readyRows, enough } = this.#queues.survey(limit / 2);
    if (isFull) return null;
    // A stream that was left out of the last claim because it had enough rows may need more now.
    const isShort = [...this.#leftOut.keys()].some((stream) => !enough.has(stream));
    if (!isTime && !isShort) return null;
    // While enough rows are ready, claims become less frequent but do not stop: a few streams may keep this many rows ready for long, and
    // other streams must not wait for them.
    if (readyRows >= limit / 2 && nowMs < this.#lastMs + BUSY_MS) return null;
    this.#lastMs = nowMs;
    // Set before the statement runs, so that a call to `wake` while the statement runs is not lost.
    this.#nextMs = nowMs + this.#pollMs;
    this.#leftOut = enough;
    return { after: this.#lastServed, leaveOut: [...enough.values()] };
  }

  /** Called after a claim. */
  claimed({ isMore, last }: Pick<QueueClaim, 'isMore' | 'last'>): void {
    this.#lastServed = last;
    if (isMore) this.wake();
  }
}
