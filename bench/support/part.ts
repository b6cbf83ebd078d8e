import type { Row } from './table.ts';

/** What a part is run with. */
export interface Context {
  /** Counts so small that the numbers mean nothing: only to see that the benchmark works. */
  quick: boolean;
  /** How large the file is that goes up and down as a link. */
  fileMb: number;
  /** An empty folder that every user can reach, removed at the end. */
  folder: string;
  /** A checkout of an earlier version to compare with, or null. */
  before: string | null;
  /** Why nothing is compared with Postfix, or null. */
  postfixMissing: string | null;
  /** Says what is being done. */
  log: (text: string) => void;
}

export type Part = (context: Context) => Promise<Row[]>;

/** Runs of each measure. All that is compared is run once in each round, so that a slow minute hits all alike. */
const ROUNDS = 3;

/** The numbers of the rounds: one only when quick. */
export function rounds({ quick }: Context): number[] {
  return Array.from({ length: quick ? 1 : ROUNDS }, (_, round) => round + 1);
}

/** Collects the runs of measures by name. */
export class Runs {
  readonly #runs = new Map<string, number[]>();

  add(name: string, value: number): void {
    this.#runs.set(name, [...(this.#runs.get(name) ?? []), value]);
  }

  /** Empty when there were none. */
  of(name: string): readonly number[] {
    return this.#runs.get(name) ?? [];
  }
}
