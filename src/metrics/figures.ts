import type { Database } from '../db/database.ts';
import { within } from '../model/within.ts';

/** Figures that are had together. */
export interface Source {
  read(database: Database): Promise<void>;
  /** Nothing is known. */
  withdraw(): void;
}

const FRESH_MS = 10_000;
/** Figures are asked for again after so many times what it took to have them: a long queue must not cost much. */
const PAUSE_FACTOR = 20;
/** Whoever asks waits for this long; the answer that comes later is for who asks next. */
const PATIENCE_MS = 2_000;
/** Of a statement of a source. */
export const STATEMENT_TIMEOUT_MS = 5_000;

/** Keeps the figures of a source fresh, for as many as ask at the same time. */
export class Figures {
  readonly #database: Database;
  readonly #source: Source;
  readonly #nowMs: () => number;
  #freshUntilMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<boolean> | null = null;

  /** @param nowMs a clock that never goes back */
  constructor(database: Database, source: Source, nowMs: () => number = () => performance.now()) {
    this.#database = database;
    this.#source = source;
    this.#nowMs = nowMs;
  }

  /** Resolves within two seconds, whatever the database does: what cannot be had by then is withdrawn. */
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
