/** Claimed jobs by destination, so that mail for one destination waits for no other's. Where all mail goes one way there is one lane. */
import type { Job } from './begin-attempts.ts';
import { Lane } from './lane.ts';
import type { Destinations } from './provider.ts';

/** Rows that wait in memory for all destinations together, about. */
const MAX_WAITING = 4_000;
const MAX_WAITING_OF_LANE = 400;
const MIN_WAITING_OF_LANE = 4;
/** What one lane takes at its turn. */
const TURN_ROWS = 25;
/** An idle lane is forgotten after this. */
const IDLE_MS = 60_000;

export class Lanes {
  readonly #destinations: Destinations | null;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes with jobs that wait, in the order of their turns. */
  readonly #waiting = new Set<Lane>();

  constructor(destinations: Destinations | null) {
    this.#destinations = destinations;
  }

  /** The lane of a destination, which is unknown at first. */
  get(destination: string): Lane {
    let lane = this.#lanes.get(destination);
    if (lane === undefined) {
      lane = new Lane(destination);
      if (this.#destinations === null) lane.state = { kind: 'open' };
      this.#lanes.set(destination, lane);
    }
    return lane;
  }

  add(jobs: readonly Job[]): void {
    for (const job of jobs) {
      const lane = this.get(job.destination);
      lane.add(job);
      this.#waiting.add(lane);
    }
  }

  /** Lanes with jobs that wait. */
  get waiting(): Iterable<Lane> {
    return this.#waiting;
  }

  /** Rows that could be begun if the worker had room. */
  get readyRows(): number {
    let rows = 0;
    for (const lane of this.#waiting) if (this.#isReady(lane)) rows += lane.waitingRows;
    return rows;
  }

  /** How many more rows the lane may begin. */
  #room(lane: Lane): number {
    if (lane.state.kind !== 'open') return 0;
    return this.#destinations === null
      ? Number.POSITIVE_INFINITY
      : this.#destinations.room(lane.destination) - lane.coming;
  }

  /** A few free places wait for company while others are busy: batches make the commits cheap. */
  #isReady(lane: Lane): boolean {
    const room = this.#room(lane);
    if (room <= 0) return false;
    const company = Math.min(lane.waitingRows, TURN_ROWS, Math.ceil((room + lane.inHand) / 4));
    return lane.inHand === 0 || room >= company;
  }

  /**
   * Jobs to begin, from lane after lane in turns.
   * @param slots rows at most, but for the last job's
   * @param fits whether the job may be begun beside the others; the first that may not ends the round
   */
  take(slots: number, fits: (job: Job) => boolean): Job[] {
    const taken: Job[] = [];
    let left = slots;
    for (const lane of [...this.#waiting]) {
      if (left <= 0) break;
      if (!this.#isReady(lane)) continue;
      const turn = this.#destinations === null ? left : Math.min(this.#room(lane), TURN_ROWS, left);
      let rows = 0;
      while (rows < turn) {
        const job = lane.peek();
        if (job === undefined) break;
        if (!fits(job)) return taken;
        lane.shift();
        rows += job.rows.length;
        taken.push(job);
      }
      left -= rows;
      // To the end of the row.
      this.#waiting.delete(lane);
      if (lane.waitingRows > 0) this.#waiting.add(lane);
    }
    return taken;
  }

  /** Everything that waits in the lane. */
  empty(lane: Lane): Job[] {
    this.#waiting.delete(lane);
    return lane.takeBeyond(0);
  }

  /** Everything that waits. */
  drain(): Job[] {
    return [...this.#waiting].flatMap((lane) => this.empty(lane));
  }

  /** Lanes that have work and no room for it: the rest of their mail is only in the way of others'. */
  get stuffed(): Lane[] {
    if (this.#destinations === null) return [];
    return [...this.#waiting].filter(
      (lane) => lane.state.kind === 'open' && lane.waitingRows >= MIN_WAITING_OF_LANE && !this.#isReady(lane),
    );
  }

  /** Takes out what lanes hold beyond their share of the memory. */
  takeOverflow(): { lane: Lane; jobs: Job[] }[] {
    if (this.#destinations === null) return [];
    const share = Math.floor(MAX_WAITING / Math.max(this.#waiting.size, 1));
    const keep = Math.min(Math.max(share, MIN_WAITING_OF_LANE), MAX_WAITING_OF_LANE);
    const overflow: { lane: Lane; jobs: Job[] }[] = [];
    for (const lane of this.#waiting) {
      if (lane.waitingRows <= keep) continue;
      overflow.push({ lane, jobs: lane.takeBeyond(keep) });
    }
    return overflow;
  }

  /** How many rows of its backlog the lane would take in now. */
  appetite(lane: Lane): number {
    const window = this.#room(lane) + lane.inHand;
    const want = Math.min(Math.max(2 * window, MIN_WAITING_OF_LANE), MAX_WAITING_OF_LANE);
    return lane.waitingRows > want / 3 ? 0 : want - lane.waitingRows;
  }

  /** Lanes with a backlog and an appetite for it. */
  get hungry(): Lane[] {
    return [...this.#lanes.values()].filter(
      (lane) => lane.hasBacklog && !lane.pulling && lane.state.kind === 'open' && this.appetite(lane) > 0,
    );
  }

  /** Forgets idle lanes; what there is to know of them is in the database. */
  sweep(nowMs: number): void {
    for (const [destination, lane] of this.#lanes) {
      const isDue = nowMs - lane.lastUsedMs > IDLE_MS && lane.state.kind !== 'probing';
      if (isDue && lane.isIdle && !lane.hasBacklog) this.#lanes.delete(destination);
    }
  }
}
