import { Marks } from './marks.ts';

/** Rows that are there above and below what is seen, before they come into sight. */
const AHEAD = 100;
/** More are let go, the farthest from what is seen first. */
const MAX_LOADED_ROWS = 2_000;
/** Of a hole: so much is asked for at once. */
export const PAGE = 50;
const RETRY_MS = 2_000;

export interface ListedRow {
  id: string;
  /** Rows are in the order of this, the newest first. */
  newest_at: string;
}

export interface RowPage<Each> {
  data: readonly Each[];
  /** The index of the first of them. */
  first_row: number;
  /** Of all. */
  total: number;
}

/** @param at an index; the answer begins there */
type Fetch<Each> = (at: number, signal: AbortSignal) => Promise<RowPage<Each>>;

/** So many rows have come at a place, or gone from it: what is seen below moves by as many. */
export interface Move {
  at: number;
  by: number;
}

interface LoadedRows<Each> {
  row: Each;
  /** What was held before `renew` is shown until it is there again. */
  age: number;
}

/** A row that the user has just taken away. */
interface Hidden<Each> {
  /** The row as the service sends it while it is hidden: the removal was undone, or the service does not know of it yet. */
  back?: Each | undefined;
  /** The total that the service sends still counts it. */
  isCounted: boolean;
}

/** The rows of a list of any length, by their index. Those near what is seen are held; where there are holes, they are asked for. */
export class Rows<Each extends ListedRow> {
  readonly #fetch: Fetch<Each>;
  readonly #held = new Map<number, LoadedRows<Each>>();
  readonly #places = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  /** By their ids: an answer that the service gave before it knew of the removal does not bring them back. */
  readonly #hidden = new Map<string, Hidden<Each>>();
  readonly #marks = new Marks<Each>();
  #moves: Move[] = [];
  #total: number;
  #age = 0;
  /** Counts what moves rows: an answer that was asked for before is of another order. */
  #order = 0;
  #near = { first: 0, last: PAGE };
  #load: AbortController | undefined;
  #version = 0;

  constructor(head: RowPage<Each>, fetch: Fetch<Each>) {
    this.#fetch = fetch;
    this.#total = head.total;
    this.#fill(head);
  }

  get count(): number {
    return this.#total;
  }

  /** Undefined: it is not held, or not there. */
  at(index: number): Each | undefined {
    return this.#held.get(index)?.row;
  }

  /** Where a row is that is held; else -1. */
  indexOf(id: string): number {
    return this.#places.get(id) ?? -1;
  }

  /** All that are held. */
  get known(): readonly Each[] {
    return [...this.#held.values()].map(({ row }) => row);
  }

  /** Asks for what is missing where somebody looks, and lets go of what they have left before it came. */
  see(first: number, last: number): void {
    this.#near = { first: Math.max(0, first - AHEAD), last: Math.min(this.#total - 1, last + AHEAD) };
    const hole = this.#hole(first, last);
    if (hole === undefined || this.#load !== undefined) return;
    void this.#loadAt(hole);
  }

  /**
   * Changes the marks of rows at once, and of what the service sends of them until it knows.
   * @returns ends it: from then on the rows are as the service has sent them last
   */
  patch(ids: ReadonlySet<string>, change: (row: Each) => Each): () => void {
    this.#marks.add(ids, change);
    this.#redraw(ids, (row) => change(row));
    return () => {
      const sent = this.#marks.remove(ids, change);
      this.#redraw(ids, (row) => sent.get(row.id) ?? row);
    };
  }

  #redraw(ids: ReadonlySet<string>, drawn: (row: Each) => Each): void {
    for (const id of ids) {
      const held = this.#held.get(this.indexOf(id));
      if (held !== undefined) held.row = drawn(held.row);
    }
    this.#changed();
  }

  /** Takes rows away at once, until `settle` confirms that the service knows. */
  hide(ids: ReadonlySet<string>): void {
    for (const id of ids) {
      if (this.#hidden.has(id)) continue;
      const isHeld = this.indexOf(id) !== -1;
      this.#hidden.set(id, { isCounted: isHeld });
      if (!isHeld) continue;
      this.#remove(this.indexOf(id));
      this.#total--;
    }
    this.#changed();
  }

  /** Ends `hide`. Rows that the service has sent again meanwhile, since the removal was undone, are inserted. */
  settle(ids: ReadonlySet<string>): void {
    const back: Each[] = [];
    for (const id of ids) {
      const row = this.#hidden.get(id)?.back;
      if (row !== undefined) back.push(row);
      this.#hidden.delete(id);
    }
    if (back.length > 0) this.apply(back, [], this.#total + back.length + this.#counted());
  }

  /**
   * Takes over what has changed on the service.
   * @param said how many rows the service has now
   */
  apply(changed: readonly Each[], gone: readonly string[], said: number): void {
    for (const id of gone) if (this.#hidden.has(id)) this.#hidden.set(id, { isCounted: false });
    for (const row of changed)
      if (this.#hidden.has(row.id)) this.#hidden.set(row.id, { back: row, isCounted: true });
    const total = Math.max(0, said - this.#counted());
    let isExact = true;
    let expected = this.#total;
    const oldestFirst = changed.toSorted((a, b) => (a.newest_at < b.newest_at ? -1 : 1));
    for (const id of gone) {
      const at = this.indexOf(id);
      if (this.#hidden.has(id)) continue;
      if (at === -1) isExact = false;
      else this.#remove(at);
      expected--;
    }
    for (const row of oldestFirst) {
      if (this.#hidden.has(row.id)) continue;
      const at = this.indexOf(row.id);
      const held = this.#held.get(at);
      if (held !== undefined && held.row.newest_at === row.newest_at) {
        held.row = this.#marks.on(row);
        continue;
      }
      if (held !== undefined) this.#remove(at);
      const place = this.#placeOf(row);
      if (place === undefined) isExact = false;
      else this.#insert(place, this.#marks.on(row));
      if (held === undefined) expected++;
    }
    // One that was in a hole before has left a place there.
    if (expected !== total) isExact = false;
    this.#total = total;
    for (const index of this.#held.keys()) if (index >= total) this.#drop(index);
    if (!isExact) this.#age++;
    this.#changed();
  }

  /**
   * Fetches all rows again. Those held are shown until then.
   * @param said how many rows the service has now, if known
   */
  renew(said?: number): void {
    this.#age++;
    if (said !== undefined) this.#total = Math.max(0, said - this.#counted());
    this.#changed();
  }

  /** What has moved since this was asked last. */
  takeMoves(): readonly Move[] {
    const moves = this.#moves;
    this.#moves = [];
    return moves;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Another one whenever something has changed. */
  readonly version = (): number => this.#version;

  /** The first index that has to be asked for: of what is seen, else of what is near. */
  #hole(first: number, last: number): number | undefined {
    const isMissing = (index: number) => (this.#held.get(index)?.age ?? -1) < this.#age;
    const end = Math.min(last, this.#total - 1);
    for (let index = Math.max(0, first); index <= end; index++) if (isMissing(index)) return index;
    for (let index = end + 1; index <= this.#near.last; index++) if (isMissing(index)) return index;
    for (let index = first - 1; index >= this.#near.first; index--)
      // Upwards a whole page is asked for that ends here.
      if (isMissing(index)) return Math.max(0, index - PAGE + 1);
    return undefined;
  }

  async #loadAt(at: number): Promise<void> {
    const load = new AbortController();
    this.#load = load;
    const order = this.#order;
    try {
      const page = await this.#fetch(at, load.signal);
      if (order === this.#order) {
        const shown = this.#withoutHidden(page);
        this.#total = shown.total;
        this.#fill(shown);
        // An empty page means that the list has become shorter, and tells where it ends.
        if (page.data.length === 0) this.#total = Math.min(page.total, page.first_row);
      }
    } catch {
      // What is wrong has been said: the service is away, or the session has ended.
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    this.#load = undefined;
    this.#changed();
  }

  /** Hidden rows that the total of the service still counts. */
  #counted(): number {
    return [...this.#hidden.values()].filter(({ isCounted }) => isCounted).length;
  }

  /** A page from before the service knew of a removal still has the rows that are hidden. */
  #withoutHidden(page: RowPage<Each>): RowPage<Each> {
    const data = page.data.filter(({ id }) => !this.#hidden.has(id));
    return { ...page, data, total: page.total - (page.data.length - data.length) };
  }

  #fill({ data, first_row }: RowPage<Each>): void {
    data.forEach((row, n) => {
      const index = first_row + n;
      const elsewhere = this.indexOf(row.id);
      if (elsewhere !== -1 && elsewhere !== index) this.#drop(elsewhere);
      this.#put(index, this.#marks.on(row));
    });
    if (this.#held.size <= MAX_LOADED_ROWS) return;
    const { first, last } = this.#near;
    const distance = (index: number) => Math.max(first - index, index - last);
    const far = [...this.#held.keys()].toSorted((a, b) => distance(b) - distance(a));
    for (const index of far.slice(0, this.#held.size - MAX_LOADED_ROWS)) this.#drop(index);
  }

  #put(index: number, row: Each): void {
    this.#drop(index);
    this.#held.set(index, { row, age: this.#age });
    this.#places.set(row.id, index);
  }

  #drop(index: number): void {
    const held = this.#held.get(index);
    if (held === undefined) return;
    this.#held.delete(index);
    if (this.#places.get(held.row.id) === index) this.#places.delete(held.row.id);
  }

  /** Where a row belongs by its time; undefined where that is in a hole. */
  #placeOf({ newest_at }: Each): number | undefined {
    const indexes = [...this.#held.keys()].toSorted((a, b) => a - b);
    const below = indexes.find((index) => (this.at(index)?.newest_at ?? '') <= newest_at);
    if (below === 0 || (below === undefined && indexes.length === this.#total)) return below ?? this.#total;
    if (below !== undefined && this.#held.has(below - 1)) return below;
    return undefined;
  }

  #insert(at: number, row: Each): void {
    this.#shift(at, 1);
    this.#put(at, row);
  }

  #remove(at: number): void {
    this.#drop(at);
    this.#shift(at + 1, -1);
  }

  #shift(from: number, by: 1 | -1): void {
    this.#order++;
    const moved = [...this.#held].filter(([index]) => index >= from);
    for (const [index] of moved) this.#drop(index);
    for (const [index, held] of moved) {
      this.#held.set(index + by, held);
      this.#places.set(held.row.id, index + by);
    }
    this.#moves.push({ at: from, by });
  }

  #changed(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}
