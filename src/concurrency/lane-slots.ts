/** Slots that several lanes share. Each lane has reserved slots that no other lane can take, and may use spare slots in addition. */

export interface LaneLimits {
  /** The number of slots that are reserved for this lane. */
  own: number;
  /** The maximum number of slots that the lane uses at once. */
  max: number;
}

export interface SlotLane extends LaneLimits {
  readonly busy: number;
  readonly waiting: number;
}

interface Lane extends LaneLimits {
  busy: number;
  queue: (() => void)[];
  /** When this lane last got a spare slot, as a number that grows with each spare slot that any lane gets. */
  sparedAt: number;
  readonly waiting: number;
}

/**
 * There are as many spare slots as the lane needs whose `max` exceeds its `own` by most. So each lane can reach its maximum while the
 * others use only their reserved slots. A spare slot goes to the waiting lane that uses the fewest spare slots. If several use equally few,
 * it goes to the one that has gone longest without getting one. So while a lane waits, each other lane can overtake it at most once.
 */
export class LaneSlots {
  readonly #lanes: Lane[] = [];
  #own = 0;
  #spare = 0;
  #spareBusy = 0;
  #grants = 0;

  /** Opens a lane. Lanes are never closed. */
  open({ own, max }: LaneLimits): SlotLane {
    const queue: (() => void)[] = [];
    const lane: Lane = {
      own,
      max,
      busy: 0,
      queue,
      sparedAt: 0,
      get waiting() {
        return queue.length;
      },
    };
    this.#lanes.push(lane);
    this.#own += own;
    this.#spare = Math.max(this.#spare, max - own);
    this.#serve();
    return lane;
  }

  /** The maximum number of slots that all lanes together use at once. */
  get total(): number {
    return this.#own + this.#spare;
  }

  /** Takes one more slot for a lane. @returns false if no slot is free for the lane */
  tryTake(of: SlotLane): boolean {
    const lane = of as Lane;
    if (!this.#mayTake(lane)) return false;
    this.#grant(lane);
    return true;
  }

  /**
   * Waits for one more slot. Callers of one lane are served in order of arrival.
   * @param serve called when the slot is granted
   * @returns a function that ends the wait; it has no effect after the slot is granted
   */
  wait(of: SlotLane, serve: () => void): () => void {
    const { queue } = of as Lane;
    queue.push(serve);
    return () => {
      const at = queue.indexOf(serve);
      if (at !== -1) queue.splice(at, 1);
    };
  }

  release(of: SlotLane): void {
    const lane = of as Lane;
    if (lane.busy-- > lane.own) this.#spareBusy--;
    this.#serve();
  }

  #mayTake({ busy, own, max }: Lane): boolean {
    return busy < own || (busy < max && this.#spareBusy < this.#spare);
  }

  #grant(lane: Lane): void {
    if (lane.busy++ < lane.own) return;
    this.#spareBusy++;
    lane.sparedAt = ++this.#grants;
  }

  #serve(): void {
    for (;;) {
      let next: Lane | null = null;
      for (const lane of this.#lanes)
        if (lane.queue.length > 0 && this.#mayTake(lane) && (next === null || precedes(lane, next)))
          next = lane;
      if (next === null) return;
      this.#grant(next);
      next.queue.shift()?.();
    }
  }
}

/** The number of spare slots that the lane uses. */
function spareOf({ busy, own }: Lane): number {
  return Math.max(0, busy - own);
}

function precedes(one: Lane, other: Lane): boolean {
  const fewer = spareOf(one) - spareOf(other);
  return fewer === 0 ? one.sparedAt < other.sparedAt : fewer < 0;
}
