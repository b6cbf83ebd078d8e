import type { Database } from '../db/database.ts';
import { within } from '../concurrency/within.ts';
import type { Figure } from '../observe/define.ts';

/** A group of metrics that are read together, with one query. */
export interface FigureSource {
  read(database: Database): Promise<void>;
  /** Marks the metrics as unknown, so that they have no series. */
  withdraw(): void;
}

/** Marks all metrics of a source as unknown. */
export function withdrawAll(figures: Readonly<Record<string, Pick<Figure<never>, 'withdraw'>>>): void {
  for (const figure of Object.values(figures)) figure.withdraw();
}

const FRESH_MS = 10_000;
/** After a read, pause for this many times as long as the read took, so that counting a long queue adds little load to the database. */
const PAUSE_FACTOR = 20;
/** How long a request waits for the values at most. If they arrive later, the next request uses them. */
const PATIENCE_MS = 2_000;
/** The time limit of a statement. */
export const STATEMENT_TIMEOUT_MS = 5_000;

/** Keeps the metrics of a source up to date. Concurrent requests share one read. */
export class Figures {
  readonly #database: Database;
  readonly #source: FigureSource;
  readonly #nowMs: () => number;
  #freshUntilMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<boolean> | null = null;

  /** @param nowMs a monotonic clock */
  constructor(database: Database, source: FigureSource, nowMs: () => number = () => performance.now()) {
    this.#database = database;
    this.#source = source;
    this.#nowMs = nowMs;
  }

  /** Resolves within two seconds, even if the database does not respond. Metrics whose values have not arrived by then have no series. */
  async refresh(): Promise<void> {
    if (this.#nowMs() < this.#freshUntilMs) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    if (!(await within(PATIENCE_MS, this.#reading, false))) this.#source.withdraw();
  }

  async #read(): Promise<boolean> {
    const startedMs = this.#nowMs();
    try {
      await this.#source.read(this.#database);
    } catch {
      return false;
    }
    const endedMs = this.#nowMs();
    this.#freshUntilMs = endedMs + Math.max(FRESH_MS, PAUSE_FACTOR * (endedMs - startedMs));
    return true;
  }
}
