import type { EmailLog, LoggedEmail } from '../../../../src/contract/dashboard/email-log.ts';

/** How many rows to load beyond each end of the visible range. */
const AHEAD = 600;
/** How many of the newest pages are never dropped, because new emails are compared with their rows. */
const FRESH_PAGES = 5;
/** If there are more pages than this, the pages farthest from the visible range are dropped. */
const MAX_LOADED_PAGES = 50;
const RETRY_MS = 2_000;

/** @param cursor empty for the first page */
type Fetch = (cursor: string, signal?: AbortSignal) => Promise<EmailLog>;

interface Page {
  cursor: string;
  /** The index of the page's first row. */
  start: number;
  count: number;
  /** The id of the page's last row; older emails belong to the next page. */
  lastId: string;
}

/**
 * The rows of one search, newest first. The list grows at its end, page by page. Only pages near the visible range
 * stay in memory; other pages are fetched again by their cursors.
 */
export class LogRows {
  /** The first response, as it was received. Unlike the rows, it is never updated. */
  readonly head: EmailLog;
  readonly #fetch: Fetch;
  readonly #pages: Page[] = [];
  readonly #loadedPages = new Map<number, readonly LoggedEmail[]>();
  readonly #loads = new Map<number, AbortController>();
  readonly #listeners = new Set<() => void>();
  /** The pages in or near the visible range. */
  #near = { first: 0, last: 0 };
  #next: string | null = null;
  #isComplete = true;
  #version = 0;
  #fresh: readonly LoggedEmail[] = [];

  constructor(head: EmailLog, fetch: Fetch) {
    this.head = head;
    this.#fetch = fetch;
    this.#append('', head);
  }

  /** The number of rows in all pages loaded so far. */
  get count(): number {
    const last = this.#pages.at(-1);
    return last === undefined ? 0 : last.start + last.count;
  }

  get hasMore(): boolean {
    return this.#next !== null;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The newest thousand rows. */
  get fresh(): readonly LoggedEmail[] {
    return this.#fresh;
  }

  /** The row at an index. Undefined if the row is not loaded or does not exist. */
  at(index: number): LoggedEmail | undefined {
    const at = this.#pageOf(index);
    return this.#loadedPages.get(at)?.[index - (this.#pages[at]?.start ?? 0)];
  }

  /** The index of a loaded row; -1 if the row is not loaded or does not exist. */
  indexOf(id: string): number {
    for (const [at, rows] of this.#loadedPages) {
      const index = rows.findIndex((row) => row.id === id);
      if (index !== -1) return (this.#pages[at]?.start ?? 0) + index;
    }
    return -1;
  }

  /** Loads the missing pages in the visible range and cancels requests for pages outside the range. */
  setVisibleRange(from: number, to: number): void {
    const end = this.#pages.length;
    const last = to + AHEAD >= this.count && this.#next !== null ? end : this.#pageOf(to + AHEAD);
    this.#near = { first: this.#pageOf(from - AHEAD), last };
    for (const [at, load] of this.#loads) {
      if (at < this.#near.first || at > last) load.abort();
    }
    const seen = this.#pageOf(from);
    const near = Array.from({ length: last - this.#near.first + 1 }, (_, n) => this.#near.first + n);
    for (const at of near.toSorted((a, b) => Math.abs(a - seen) - Math.abs(b - seen))) {
      if (!this.#loadedPages.has(at) && !this.#loads.has(at)) void this.#load(at);
    }
  }

  /** Updates loaded rows to their current state. @param now current rows by id */
  update(now: ReadonlyMap<string, LoggedEmail>): void {
    if (now.size === 0) return;
    let isChanged = false;
    for (const [at, rows] of this.#loadedPages) {
      if (!rows.some((row) => (now.get(row.id) ?? row) !== row)) continue;
      isChanged = true;
      this.#loadedPages.set(
        at,
        rows.map((row) => now.get(row.id) ?? row),
      );
    }
    if (isChanged) this.#changed(true);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Changes whenever the rows change. */
  readonly version = (): number => this.#version;

  /** The number of the last page that begins at or before the index of a row. */
  #pageOf(index: number): number {
    let low = 0;
    for (let high = this.#pages.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if ((this.#pages[middle]?.start ?? 0) <= index) low = middle;
      else high = middle;
    }
    return low;
  }

  async #load(at: number): Promise<void> {
    const load = new AbortController();
    this.#loads.set(at, load);
    try {
      const page = this.#pages[at];
      if (page === undefined)
        this.#append(this.#next ?? '', await this.#fetch(this.#next ?? '', load.signal));
      else this.#replace(at, page, await this.#rowsOf(page, load.signal));
    } catch {
      // Pause before the next attempt, unless this load was canceled. The shell shows the failure (service unavailable, session ended).
      if (!load.signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    if (this.#loads.get(at) === load) this.#loads.delete(at);
    this.#changed(at < FRESH_PAGES);
  }

  /**
   * Fetches the rows of a page again. If more rows match the search now than when the page was first loaded, several
   * requests are needed to reach the end of the page.
   */
  async #rowsOf({ cursor, lastId }: Page, signal: AbortSignal): Promise<LoggedEmail[]> {
    const rows: LoggedEmail[] = [];
    for (let next: string | null = cursor; next !== null; ) {
      const answer: EmailLog = await this.#fetch(next, signal);
      rows.push(...answer.data.filter(({ id }) => id >= lastId));
      next = (answer.data.at(-1)?.id ?? '') > lastId ? answer.next_cursor : null;
    }
    return rows;
  }

  #append(cursor: string, { data, next_cursor, is_complete }: EmailLog): void {
    const at = this.#pages.length;
    this.#pages.push({ cursor, start: this.count, count: data.length, lastId: data.at(-1)?.id ?? '' });
    this.#next = next_cursor;
    this.#isComplete &&= is_complete;
    this.#storePage(at, data);
  }

  /** Replaces the rows of a page. If rows were erased or no longer match the search, later pages move up. */
  #replace(at: number, page: Page, rows: readonly LoggedEmail[]): void {
    const more = rows.length - page.count;
    page.count = rows.length;
    if (more !== 0) for (const later of this.#pages.slice(at + 1)) later.start += more;
    this.#storePage(at, rows);
  }

  #storePage(at: number, rows: readonly LoggedEmail[]): void {
    this.#loadedPages.set(at, rows);
    const { first, last } = this.#near;
    const distance = (page: number) => Math.max(first - page, page - last);
    while (this.#loadedPages.size > MAX_LOADED_PAGES) {
      const old = [...this.#loadedPages.keys()].filter((page) => page >= FRESH_PAGES);
      this.#loadedPages.delete(old.reduce((far, page) => (distance(page) > distance(far) ? page : far)));
    }
    if (at < FRESH_PAGES) this.#changed(true);
  }

  #changed(areFresh: boolean): void {
    if (areFresh)
      this.#fresh = Array.from({ length: FRESH_PAGES }, (_, at) => this.#loadedPages.get(at) ?? []).flat();
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}
