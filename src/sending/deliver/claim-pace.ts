import type { ClaimOptions, QueueClaim } from '../../queue/claim.ts';
import { FIRST_STREAM } from '../../queue/fair-shares.ts';
import type { DestinationQueues, Waiting } from './destination-queues.ts';

/** How long a queue that was found empty is left alone unless a wake comes. */
const POLL_MS = 1_000;
/** The shortest pause between two claims while enough is ready. */
const BUSY_MS = 100;

/** When a worker claims due rows, and of which streams. */
export class ClaimPace {
  readonly #queues: Pick<DestinationQueues, 'look'>;
  #nextMs = 0;
  #lastMs = 0;
  #lastTurn = FIRST_STREAM;
  /** Streams that had enough rows here when the last claim was made. */
  #leftOut: Waiting['enough'] = new Map();

  constructor(queues: Pick<DestinationQueues, 'look'>) {
    this.#queues = queues;
  }

  /** There may be due rows. */
  wake(): void {
    this.#nextMs = 0;
  }

  /** Until the next claim where nothing changes, in milliseconds. */
  get pauseMs(): number {
    return Math.min(this.#nextMs - performance.now(), POLL_MS);
  }

  /**
   * What to claim now; null: nothing. The caller makes the claim.
   * @param limit rows of the claim
   */
  next(limit: number): Required<ClaimOptions> | null {
    const nowMs = performance.now();
    const isTime = nowMs >= this.#nextMs;
    if (!isTime && this.#leftOut.size === 0) return null;
    const { isFull, readyRows, enough } = this.#queues.look(limit / 2);
    if (isFull) return null;
    // A stream that was left out because it had enough may need more now.
    const isShort = [...this.#leftOut.keys()].some((stream) => !enough.has(stream));
    if (!isTime && !isShort) return null;
    // Some streams may keep that many rows ready for long: due rows of the others must not wait for them.
    if (readyRows >= limit / 2 && nowMs < this.#lastMs + BUSY_MS) return null;
    this.#lastMs = nowMs;
    // Set before the statement: a wake that comes while it runs must not be forgotten.
    this.#nextMs = nowMs + POLL_MS;
    this.#leftOut = enough;
    return { after: this.#lastTurn, leaveOut: [...enough.values()] };
  }

  /** The claim was made. */
  claimed({ isMore, last }: Pick<QueueClaim, 'isMore' | 'last'>): void {
    this.#lastTurn = last;
    if (isMore) this.wake();
  }
}
