/** Slots that several lanes share: each lane has slots of its own that no other lane takes, and may use spare ones beyond them. */

export interface LaneLimits {
  /** Slots that are free for this lane whatever the others do. */
  own: number;
  /** Maximum number of slots that the lane uses at once. */
  max: number;
}

export interface SlotLane extends LaneLimits {
  readonly busy: number;
  readonly waiting: number;
}

interface Lane extends LaneLimits {
  busy: number;
  queue: (() => void)[];
  /** Number of the grant by which it last got a spare slot. */
  sparedAt: number;
  readonly waiting: number;
}

/**
 * The number of spare slots is the largest difference between `max` and `own` of any lane, so each lane can reach its maximum
 * while the others stay within their own slots. A spare slot goes to the waiting lane that uses the fewest of them, and among equals to
 * the one that last got one longest ago. A lane that waits is therefore overtaken at most once by each other lane.
 */
export class LaneSlots {
  readonly #lanes: Lane[] = [];
  #own = 0;
  #spare = 0;
  #spareBusy = 0;
  #grants = 0;

  /** Opens a lane, which stays. */
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

  /** Maximum number of slots that all lanes together use at once. */
  get total(): number {
    return this.#own + this.#spare;
  }

  /** @returns whether the lane has one slot more */
  tryTake(of: SlotLane): boolean {
    const lane = of as Lane;
    if (!this.#mayTake(lane)) return false;
    this.#grant(lane);
    return true;
  }

  /**
   * Waits for one slot more. Callers of one lane are served in the order in which they came.
   * @param serve called when the lane has it
   * @returns ends the wait, if it lasts
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

/** How many spare slots the lane uses. */
function spareOf({ busy, own }: Lane): number {
  return Math.max(0, busy - own);
}

function precedes(one: Lane, other: Lane): boolean {
  const fewer = spareOf(one) - spareOf(other);
  return fewer === 0 ? one.sparedAt < other.sparedAt : fewer < 0;
}
