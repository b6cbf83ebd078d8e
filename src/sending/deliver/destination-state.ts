import type { WaitingDestination } from '../../queue/destinations.ts';
import type { AttemptReply } from './provider.ts';

export type DestinationState =
  | { kind: 'unknown' }
  | { kind: 'open' }
  /** `reply` is the reply to the last attempt, redacted for all projects (see `redactReply`). */
  | { kind: 'closed'; failures: number; sinceMs: number; untilMs: number; reply: AttemptReply }
  | { kind: 'probing'; failures: number; reply: AttemptReply };

/** A state in which mail must not be sent, with the reason. */
export type Unavailable = Extract<DestinationState, { reply: AttemptReply }>;

/**
 * Whether a destination accepts mail, as far as a worker knows:
 *
 *   unknown --load--> open, or closed while it fails
 *   open    --an attempt finds it unavailable--> closed
 *   closed  --its delay is over--> unknown
 *   any     --the database assigns its probe to this worker--> probing
 *   probing --it replies--> open
 *           --it is still unavailable--> closed
 *           --nothing is parked for it, or the attempt was abandoned--> unknown
 *   any     --the database says that it accepts mail and has a backlog--> open
 *
 * Rows for a closed destination are parked in the database, and a probe attempts one of them.
 */
export class DestinationAvailability {
  /** A domain, or the name of a rejected sender (`nameOfSender`). */
  readonly destination: string;
  #state: DestinationState = { kind: 'unknown' };

  constructor(destination: string) {
    this.destination = destination;
  }

  get state(): DestinationState {
    return this.#state;
  }

  /** The state with the last reply, if mail must not be sent. Otherwise null. */
  get unavailable(): Unavailable | null {
    return this.#state.kind === 'closed' || this.#state.kind === 'probing' ? this.#state : null;
  }

  /** Milliseconds until the destination may be attempted again. */
  get delayMs(): number {
    const { state } = this;
    return state.kind === 'closed' ? Math.max(state.untilMs - performance.now(), 0) : 0;
  }

  /** Called when the destination accepts mail. */
  open(): void {
    this.#state = { kind: 'open' };
  }

  /** Called when the destination as a whole is unavailable. */
  close(failures: number, delayMs: number, reply: AttemptReply): void {
    const sinceMs = performance.now();
    this.#state = { kind: 'closed', failures, sinceMs, untilMs: sinceMs + delayMs, reply };
  }

  /** Called when probes begin: rows are attempted one after another to find out whether the destination is available again. */
  probe(failures: number, reply: AttemptReply): void {
    this.#state = { kind: 'probing', failures, reply };
  }

  /** Called when the state must be loaded from the database again. */
  forget(): void {
    this.#state = { kind: 'unknown' };
  }
}

/** The reply to the last attempt at a failing destination. */
export function lastReplyOf({ reply }: WaitingDestination): AttemptReply {
  // Only `closeDestination` writes this column, with an `AttemptReply`.
  return reply as AttemptReply;
}
