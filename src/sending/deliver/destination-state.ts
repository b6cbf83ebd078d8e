import type { WaitingDestination } from '../../queue/destinations.ts';
import type { AttemptReply } from './provider.ts';

export type DestinationState =
  | { kind: 'unknown' }
  | { kind: 'open' }
  /** `reply` is what the last try heard, fit for everybody (see `redactReply`). */
  | { kind: 'closed'; failures: number; sinceMs: number; untilMs: number; reply: AttemptReply }
  | { kind: 'probing'; failures: number; reply: AttemptReply };

/** Mail is not to be sent now, and this is why. */
export type Unavailable = Extract<DestinationState, { reply: AttemptReply }>;

/**
 * Whether a destination takes mail, as far as a worker knows:
 *
 *   unknown --load--> open, or closed while it fails
 *   open    --an attempt found it away--> closed
 *   closed  --its time is over--> unknown
 *   any     --the database gives it to this worker to try--> probing
 *   probing --it answers--> open
 *           --it is still away--> closed
 *           --nothing is parked for it, or the attempt was abandoned--> unknown
 *   any     --the database says that it has a backlog and takes mail--> open
 *
 * What waits for a closed destination is parked in the database, and one row of that is its probe.
 */
export class DestinationAvailability {
  /** A domain, or what a sender waits for whom it refuses. */
  readonly destination: string;
  #state: DestinationState = { kind: 'unknown' };

  constructor(destination: string) {
    this.destination = destination;
  }

  get state(): DestinationState {
    return this.#state;
  }

  /** What the last try heard, while mail is not to be sent; else null. */
  get unavailable(): Unavailable | null {
    return this.#state.kind === 'closed' || this.#state.kind === 'probing' ? this.#state : null;
  }

  /** How long the destination is left alone. */
  get delayMs(): number {
    const { state } = this;
    return state.kind === 'closed' ? Math.max(state.untilMs - performance.now(), 0) : 0;
  }

  /** The destination takes mail. */
  open(): void {
    this.#state = { kind: 'open' };
  }

  /** The destination as a whole cannot be used. */
  close(failures: number, delayMs: number, reply: AttemptReply): void {
    const sinceMs = performance.now();
    this.#state = { kind: 'closed', failures, sinceMs, untilMs: sinceMs + delayMs, reply };
  }

  /** From here on rows are attempted one after the other, to find out whether the destination is back. */
  probe(failures: number, reply: AttemptReply): void {
    this.#state = { kind: 'probing', failures, reply };
  }

  /** What the database says of the destination has to be looked at again. */
  forget(): void {
    this.#state = { kind: 'unknown' };
  }
}

/** What the last try of a failing destination heard. */
export function heard({ reply }: WaitingDestination): AttemptReply {
  // What `closeDestination` was given: nothing else is written there.
  return reply as AttemptReply;
}
