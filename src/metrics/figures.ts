import type { Database } from '../db/database.ts';
import { within } from '../concurrency/within.ts';
import type { Figure } from '../observe/define.ts';

/** Figures that are fetched together. */
export interface FigureSource {
  read(database: Database): Promise<void>;
  /** Nothing is known. */
  withdraw(): void;
}

/** Withdraws what a source tells of. */
export function withdrawAll(figures: Readonly<Record<string, Pick<Figure<never>, 'withdraw'>>>): void {
  for (const figure of Object.values(figures)) figure.withdraw();
}

const FRESH_MS = 10_000;
/** Figures are fetched again after so many times as long as it took to fetch them: a long queue must not cost much. */
const PAUSE_FACTOR = 20;
/** A request waits this long; an answer that comes later serves the next request. */
const PATIENCE_MS = 2_000;
/** The time limit of a statement. */
export const STATEMENT_TIMEOUT_MS = 5_000;

/** Keeps the figures of a source fresh. Requests at the same time share one fetch. */
export class Figures {
  readonly #database: Database;
  readonly #source: FigureSource;
  readonly #nowMs: () => number;
  #freshUntilMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<boolean> | null = null;

  /** @param nowMs a clock that never goes back */
  constructor(database: Database, source: FigureSource, nowMs: () => number = () => performance.now()) {
    this.#database = database;
    this.#source = source;
    this.#nowMs = nowMs;
  }

  /** Resolves within two seconds, whatever the database does: figures that are not there by then are withdrawn. */
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
