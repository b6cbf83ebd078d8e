/** Claimed jobs by destination, so that mail for one destination waits for no other's. Where all mail goes one way there is one lane. */
import type { Job } from './begin-attempts.ts';
import { Lane } from './lane.ts';
import type { Destinations } from './provider.ts';

/** Rows that wait in memory for all destinations together, about. */
const MAX_WAITING = 4_000;
/** With thousands of destinations even a few rows of each are more: beyond this nothing is claimed. */
const FULL_WAITING = 20_000;
const MAX_WAITING_OF_LANE = 400;
const MIN_WAITING_OF_LANE = 4;
/**
 * Of all places what destinations may take up together that have not answered of late: servers that are silent for
 * minutes must not have them all, whoever sends them mail. In direct delivery it also leaves connections to the others.
 */
const STRANGERS_SHARE = 0.4;
/** What one lane takes at its turn. */
const TURN_ROWS = 25;
/** An idle lane is forgotten after this. */
const IDLE_MS = 60_000;

/** What there is to know of all lanes before one is looked at. */
interface Crowd {
  nowMs: number;
  /** How many more rows may be begun for destinations that have not answered of late. */
  strangers: number;
}

export class Lanes {
  readonly #destinations: Destinations | null;
  readonly #maxStrangers: number;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes with jobs that wait, in the order of their turns. */
  readonly #waiting = new Set<Lane>();

  /** @param capacity rows that may be in hand at once */
  constructor(destinations: Destinations | null, capacity: number) {
    this.#destinations = destinations;
    this.#maxStrangers = destinations === null ? Number.POSITIVE_INFINITY : capacity * STRANGERS_SHARE;
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
    const crowd = this.#crowd();
    let rows = 0;
    for (const lane of this.#waiting) if (this.#isReady(lane, crowd)) rows += lane.waitingRows;
    return rows;
  }

  /** Whether no more rows should be claimed, whatever they are. */
  get isFull(): boolean {
    let rows = 0;
    for (const lane of this.#waiting) rows += lane.waitingRows;
    return rows >= FULL_WAITING;
  }

  #crowd(): Crowd {
    const nowMs = performance.now();
    let strangers = this.#maxStrangers;
    for (const lane of this.#lanes.values()) if (!lane.answers(nowMs)) strangers -= lane.inHand;
    return { nowMs, strangers };
  }

  /** How many more rows the lane may begin, as far as its destination goes. */
  #room(lane: Lane): number {
    if (lane.state.kind !== 'open') return 0;
    return this.#destinations === null
      ? Number.POSITIVE_INFINITY
      : this.#destinations.room(lane.destination) - lane.coming;
  }

  /** A few free places wait for company while others are busy: batches make the commits cheap. */
  #isReady(lane: Lane, { nowMs, strangers }: Crowd): boolean {
    if (strangers <= 0 && !lane.answers(nowMs)) return false;
    const room = this.#room(lane);
    if (room <= 0) return false;
    const company = Math.min(lane.waitingRows, TURN_ROWS, Math.ceil((room + lane.inHand) / 4));
    return lane.inHand === 0 || room >= company;
  }

  /**
   * Jobs to begin, from lane after lane in turns.
   * @param slots rows at most, but for the last job's
   * @param fits whether the job may be begun beside the others; the first of a lane that may not ends its turn
   */
  take(slots: number, fits: (job: Job) => boolean): Job[] {
    const taken: Job[] = [];
    const crowd = this.#crowd();
    let left = slots;
    for (const lane of [...this.#waiting]) {
      if (left <= 0) break;
      if (!this.#isReady(lane, crowd)) continue;
      const turn = this.#destinations === null ? left : Math.min(this.#room(lane), TURN_ROWS, left);
      let rows = 0;
      while (rows < turn) {
        const job = lane.peek();
        if (job === undefined) break;
        if (!fits(job)) break;
        lane.shift();
        rows += job.rows.length;
        taken.push(job);
      }
      if (rows === 0) continue;
      left -= rows;
      if (!lane.answers(crowd.nowMs)) crowd.strangers -= rows;
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
    const crowd = this.#crowd();
    return [...this.#waiting].filter(
      (lane) =>
        lane.state.kind === 'open' && lane.waitingRows >= MIN_WAITING_OF_LANE && !this.#isReady(lane, crowd),
    );
  }

  /** Takes out what lanes hold beyond their share of the memory. */
  takeOverflow(): { lane: Lane; jobs: Job[] }[] {
    if (this.#destinations === null) return [];
    const keep = this.#share;
    const overflow: { lane: Lane; jobs: Job[] }[] = [];
    for (const lane of this.#waiting) {
      if (lane.waitingRows <= keep) continue;
      overflow.push({ lane, jobs: lane.takeBeyond(keep) });
      // Its first email alone may have been too much.
      if (lane.waitingRows === 0) this.#waiting.delete(lane);
    }
    return overflow;
  }

  /** Rows that may wait in each lane. */
  get #share(): number {
    const share = Math.floor(MAX_WAITING / Math.max(this.#waiting.size, 1));
    return Math.min(Math.max(share, MIN_WAITING_OF_LANE), MAX_WAITING_OF_LANE);
  }

  /** How many rows of its backlog the lane would take in now: no more than it may keep. */
  appetite(lane: Lane): number {
    const window = this.#room(lane) + lane.inHand;
    const want = Math.min(Math.max(2 * window, MIN_WAITING_OF_LANE), this.#share);
    return lane.waitingRows > want / 3 ? 0 : want - lane.waitingRows;
  }

  /** The lane with a backlog and an appetite for it whose turn is next. */
  nextHungry(): Lane | null {
    for (const lane of this.#lanes.values()) {
      const mayPull = lane.hasBacklog && !lane.pulling && lane.state.kind === 'open';
      if (!mayPull || this.appetite(lane) === 0) continue;
      // To the end of the row.
      this.#lanes.delete(lane.destination);
      this.#lanes.set(lane.destination, lane);
      return lane;
    }
    return null;
  }

  /** Forgets idle lanes; what there is to know of them is in the database. */
  sweep(nowMs: number): void {
    for (const [destination, lane] of this.#lanes) {
      const isDue = nowMs - lane.lastUsedMs > IDLE_MS && lane.state.kind !== 'probing';
      const isNeeded = lane.hasBacklog && lane.state.kind === 'open';
      if (isDue && lane.isIdle && !isNeeded) this.#lanes.delete(destination);
    }
  }
}
