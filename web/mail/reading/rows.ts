import { Marks } from './marks.ts';

/** How many rows to load beyond each end of the visible range. */
const AHEAD = 100;
/** If more rows than this are loaded, the rows farthest from the visible range are dropped. */
const MAX_LOADED_ROWS = 2_000;
/** How many missing rows one request fetches. */
export const PAGE = 50;
const RETRY_MS = 2_000;

export interface ListedRow {
  id: string;
  /** The time by which rows are sorted, newest first. */
  newest_at: string;
  /** Pinned rows come first. */
  pinned?: boolean;
}

/** The value by which rows are sorted, largest first. */
function rankOf({ newest_at, pinned = false }: ListedRow): string {
  return `${pinned ? 1 : 0} ${newest_at}`;
}

export interface RowPage<Each> {
  data: readonly Each[];
  /** The index of the first row in `data`. */
  first_row: number;
  /** The total number of rows. */
  total: number;
}

/** Fetches a page of rows. @param at the index of the first row to fetch */
type Fetch<Each> = (at: number, signal: AbortSignal) => Promise<RowPage<Each>>;

/** Rows were added or removed at an index, so the rows from this index on move by `by`. */
export interface Move {
  at: number;
  by: number;
}

interface LoadedRow<Each> {
  row: Each;
  /** The generation in which the row was fetched. After `refetchAll`, rows of older generations are shown until refetched. */
  age: number;
}

/** A row that the user has just removed. */
interface Hidden<Each> {
  /**
   * The row, if the service has sent the row since it was hidden: either the removal was undone, or the response does
   * not include the removal yet.
   */
  resentRow?: Each | undefined;
  /** Whether the total from the service still includes the row. */
  isCounted: boolean;
}

/**
 * The rows of a list of any length, by index. Only rows near the visible range are loaded; missing rows are fetched.
 */
export class Rows<Each extends ListedRow> {
  readonly #fetch: Fetch<Each>;
  readonly #isByTime: boolean;
  readonly #rows = new Map<number, LoadedRow<Each>>();
  readonly #positions = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  /** Hidden rows by id. A response that does not include the removal yet must not restore a hidden row. */
  readonly #hidden = new Map<string, Hidden<Each>>();
  readonly #marks = new Marks<Each>();
  #moves: Move[] = [];
  #total: number;
  #age = 0;
  /** Counts changes that move rows. A response to a request from before the latest change has the old order of rows. */
  #order = 0;
  #near = { first: 0, last: PAGE };
  #load: AbortController | undefined;
  #version = 0;

  /** @param isByTime whether the rows are sorted by `newest_at`. In any other order, new rows are fetched with their index */
  constructor(head: RowPage<Each>, fetch: Fetch<Each>, { isByTime = true } = {}) {
    this.#fetch = fetch;
    this.#isByTime = isByTime;
    this.#total = head.total;
    this.#fill(head);
  }

  get count(): number {
    return this.#total;
  }

  /** The row at an index. Undefined if the row is not loaded or does not exist. */
  at(index: number): Each | undefined {
    return this.#rows.get(index)?.row;
  }

  /** The index of a loaded row; -1 if the row is not loaded or does not exist. */
  indexOf(id: string): number {
    return this.#positions.get(id) ?? -1;
  }

  /** Whether a row is loaded, or was just removed by the user. */
  has(id: string): boolean {
    return this.#positions.has(id) || this.#hidden.has(id);
  }

  /** The loaded rows with their indexes, sorted by index. */
  inOrder(): { at: number; row: Each }[] {
    return [...this.#rows].map(([at, { row }]) => ({ at, row })).toSorted((a, b) => a.at - b.at);
  }

  /** All loaded rows. */
  get known(): readonly Each[] {
    return [...this.#rows.values()].map(({ row }) => row);
  }

  /** Loads missing rows in the visible range and cancels requests for rows that are no longer near this range. */
  setVisibleRange(first: number, last: number): void {
    this.#near = { first: Math.max(0, first - AHEAD), last: Math.min(this.#total - 1, last + AHEAD) };
    const hole = this.#hole(first, last);
    if (hole === undefined || this.#load !== undefined) return;
    void this.#loadAt(hole);
  }

  /**
   * Changes the marks of rows immediately. The change is also applied to rows that the service sends before it has
   * confirmed the change.
   * @returns a function that ends the change; the rows are then shown as the service last sent them
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
      const held = this.#rows.get(this.indexOf(id));
      if (held !== undefined) held.row = drawn(held.row);
    }
    this.#changed();
  }

  /** Removes rows immediately. Call `settle` after the service has confirmed the removal. */
  hide(ids: ReadonlySet<string>): void {
    for (const id of ids) {
      if (this.#hidden.has(id)) continue;
      const isLoaded = this.indexOf(id) !== -1;
      this.#hidden.set(id, { isCounted: isLoaded });
      if (!isLoaded) continue;
      this.#remove(this.indexOf(id));
      this.#total--;
    }
    this.#changed();
  }

  /** Ends `hide`. Inserts the rows that the service has sent in the meantime because the removal was undone. */
  settle(ids: ReadonlySet<string>): void {
    const resentRows: Each[] = [];
    for (const id of ids) {
      const row = this.#hidden.get(id)?.resentRow;
      if (row !== undefined) resentRows.push(row);
      this.#hidden.delete(id);
    }
    this.restore(resentRows);
  }

  /** Shows rows that were hidden again, because nothing was removed. Call `settle` before. */
  restore(rows: readonly Each[]): void {
    if (rows.length > 0) this.apply(rows, [], this.#total + rows.length + this.#counted());
  }

  /**
   * Applies changes from the service.
   * @param serviceTotal the current number of rows according to the service. Undefined if it is unknown, as for a filtered list, in which
   * a removed conversation may not have been listed
   */
  apply(changed: readonly Each[], gone: readonly string[], serviceTotal: number | undefined): void {
    for (const id of gone) if (this.#hidden.has(id)) this.#hidden.set(id, { isCounted: false });
    for (const row of changed)
      if (this.#hidden.has(row.id)) this.#hidden.set(row.id, { resentRow: row, isCounted: true });
    const isComplete = this.#rows.size === this.#total;
    let isExact = true;
    let expected = this.#total;
    const oldestFirst = changed.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1));
    for (const id of gone) {
      const at = this.indexOf(id);
      if (this.#hidden.has(id)) continue;
      if (at === -1 && serviceTotal === undefined) {
        isExact &&= isComplete;
        continue;
      }
      if (at === -1) isExact = false;
      else this.#remove(at);
      expected--;
    }
    for (const row of oldestFirst) {
      if (this.#hidden.has(row.id)) continue;
      const at = this.indexOf(row.id);
      const held = this.#rows.get(at);
      if (held !== undefined && rankOf(held.row) === rankOf(row)) {
        held.row = this.#marks.on(row);
        continue;
      }
      if (held !== undefined) this.#remove(at);
      const position = this.#positionOf(row);
      if (position === undefined) isExact = false;
      else this.#insert(position, this.#marks.on(row));
      if (held === undefined) expected++;
    }
    const total = serviceTotal === undefined ? expected : Math.max(0, serviceTotal - this.#counted());
    // If a removed row was not loaded, its index is unknown.
    if (expected !== total) isExact = false;
    this.#total = total;
    for (const index of this.#rows.keys()) if (index >= total) this.#drop(index);
    if (!isExact) this.#age++;
    this.#changed();
  }

  /**
   * Fetches all rows again. The loaded rows are shown until the new rows have arrived.
   * @param serviceTotal the current number of rows according to the service, if known
   */
  refetchAll(serviceTotal?: number): void {
    this.#age++;
    if (serviceTotal !== undefined) this.#total = Math.max(0, serviceTotal - this.#counted());
    this.#changed();
  }

  /** The moves since the last call of this function. */
  takeMoves(): readonly Move[] {
    const moves = this.#moves;
    this.#moves = [];
    return moves;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Changes whenever the rows change. */
  readonly version = (): number => this.#version;

  /** The index of the first row to fetch: a missing row in the visible range, else a missing row near the range. */
  #hole(first: number, last: number): number | undefined {
    const isMissing = (index: number) => (this.#rows.get(index)?.age ?? -1) < this.#age;
    const end = Math.min(last, this.#total - 1);
    for (let index = Math.max(0, first); index <= end; index++) if (isMissing(index)) return index;
    for (let index = end + 1; index <= this.#near.last; index++) if (isMissing(index)) return index;
    for (let index = first - 1; index >= this.#near.first; index--)
      // When the user scrolls up, fetch a whole page that ends at the missing row.
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
        // An empty page means that the list has become shorter. The page contains the new length.
        if (page.data.length === 0) this.#total = Math.min(page.total, page.first_row);
      }
    } catch {
      // The shell already shows failures (service unavailable, session ended).
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    this.#load = undefined;
    this.#changed();
  }

  /** How many hidden rows the total from the service still includes. */
  #counted(): number {
    return [...this.#hidden.values()].filter(({ isCounted }) => isCounted).length;
  }

  /** The page without hidden rows, which it still contains if the response does not include their removal yet. */
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
    if (this.#rows.size <= MAX_LOADED_ROWS) return;
    const { first, last } = this.#near;
    const distance = (index: number) => Math.max(first - index, index - last);
    const far = [...this.#rows.keys()].toSorted((a, b) => distance(b) - distance(a));
    for (const index of far.slice(0, this.#rows.size - MAX_LOADED_ROWS)) this.#drop(index);
  }

  #put(index: number, row: Each): void {
    this.#drop(index);
    this.#rows.set(index, { row, age: this.#age });
    this.#positions.set(row.id, index);
  }

  #drop(index: number): void {
    const held = this.#rows.get(index);
    if (held === undefined) return;
    this.#rows.delete(index);
    if (this.#positions.get(held.row.id) === index) this.#positions.delete(held.row.id);
  }

  /** The index at which a row belongs by its rank; undefined if the rows around this index are not loaded. */
  #positionOf(row: Each): number | undefined {
    if (!this.#isByTime) return undefined;
    const indexes = [...this.#rows.keys()].toSorted((a, b) => a - b);
    const rank = rankOf(row);
    const below = indexes.find((index) => {
      const other = this.at(index);
      return other !== undefined && rankOf(other) <= rank;
    });
    if (below === 0 || (below === undefined && indexes.length === this.#total)) return below ?? this.#total;
    if (below !== undefined && this.#rows.has(below - 1)) return below;
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
    const moved = [...this.#rows].filter(([index]) => index >= from);
    for (const [index] of moved) this.#drop(index);
    for (const [index, held] of moved) {
      this.#rows.set(index + by, held);
      this.#positions.set(held.row.id, index + by);
    }
    this.#moves.push({ at: from, by });
  }

  #changed(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}
