/**
 * The mail of one destination in the hands of a worker. The destination is:
 *
 *   unknown --load--> open <--good-- probing <--its time has come--.
 *                       |               |                          |
 *                       '--- failed ----'---------> closed --------'
 *
 * Jobs wait here for room. What a closed destination has waiting is parked, and one row is its probe.
 */
import type { Job } from './begin-attempts.ts';
import type { AttemptReply } from './provider.ts';

/** A destination that has not answered for so long is no different from one that never did. */
const ANSWERS_MS = 30_000;

export type DestinationState =
  | { kind: 'unknown' }
  | { kind: 'open' }
  /** `reply` is what the last try heard, fit for everybody (see `redactReply`). */
  | { kind: 'closed'; failures: number; sinceMs: number; untilMs: number; reply: AttemptReply }
  | { kind: 'probing'; failures: number; reply: AttemptReply };

export class DestinationQueue {
  readonly destination: string;
  state: DestinationState = { kind: 'unknown' };
  /** Recipients may be parked for it, and it takes mail. */
  hasBacklog = false;
  /** They are being claimed. */
  pulling = false;
  /** Rows that are begun, or whose attempt is under way. */
  inFlight = 0;
  /** Those of them that the provider does not know of yet. */
  coming = 0;
  /** On the clock of `performance.now`: when the destination last took or refused a message of its own accord. */
  lastAnswerMs = Number.NEGATIVE_INFINITY;
  lastUsedMs = performance.now();
  #waiting: Job[] = [];
  #waitingRows = 0;

  constructor(destination: string) {
    this.destination = destination;
  }

  get waitingRows(): number {
    return this.#waitingRows;
  }

  /** Whether the destination has answered of late. */
  answers(nowMs: number): boolean {
    return nowMs - this.lastAnswerMs < ANSWERS_MS;
  }

  get isIdle(): boolean {
    return this.#waitingRows === 0 && this.inFlight === 0 && !this.pulling;
  }

  add(job: Job): void {
    this.#waiting.push(job);
    this.#waitingRows += job.rows.length;
    this.lastUsedMs = performance.now();
  }

  peek(): Job | undefined {
    return this.#waiting[0];
  }

  shift(): Job | undefined {
    const job = this.#waiting.shift();
    this.#waitingRows -= job?.rows.length ?? 0;
    return job;
  }

  /** The latest jobs, beyond the first `keep` rows. */
  takeBeyond(keep: number): Job[] {
    let rows = 0;
    const at = this.#waiting.findIndex((job) => {
      rows += job.rows.length;
      return rows > keep;
    });
    const taken = at === -1 ? [] : this.#waiting.splice(at);
    for (const job of taken) this.#waitingRows -= job.rows.length;
    return taken;
  }
}
