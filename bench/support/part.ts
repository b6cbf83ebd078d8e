import type { Row } from './table.ts';

/** The input of a part. */
export interface Context {
  /** Whether to use small counts that only check whether the benchmark works. The figures of a quick run mean nothing. */
  quick: boolean;
  /** The size in MiB of the file that is uploaded and downloaded as a link. */
  fileMb: number;
  /** An empty folder that every user can access, removed at the end. */
  folder: string;
  /** A checkout of an earlier version to compare with; null for no comparison. */
  before: string | null;
  /** The reason why there is no comparison with Postfix; null if there is a comparison. */
  postfixMissing: string | null;
  /** Logs the progress of the part. */
  log: (text: string) => void;
}

export type Part = (context: Context) => Promise<Row[]>;

/** How often each measure is run. Each round runs all measures that are compared once, so that other load affects all of them alike. */
const ROUNDS = 3;

/**
 * The numbers of the rounds. A quick run has one round.
 * @param count fewer rounds than usual, for measures that take long and have a wide margin to their goal
 */
export function rounds({ quick }: Pick<Context, 'quick'>, count = ROUNDS): number[] {
  return Array.from({ length: quick ? 1 : count }, (_, round) => round + 1);
}

/** Collects the runs of measures by name. */
export class Runs {
  readonly #runs = new Map<string, number[]>();

  add(name: string, value: number): void {
    this.#runs.set(name, [...(this.#runs.get(name) ?? []), value]);
  }

  /** The runs of a measure; empty if the measure has no runs. */
  of(name: string): readonly number[] {
    return this.#runs.get(name) ?? [];
  }
}
