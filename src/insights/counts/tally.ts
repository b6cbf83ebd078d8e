/** Counts of email outcomes by dimension, which can be added up. */

import { type Dimension, DIMENSIONS } from '../../model/dimensions.ts';

/** Columns of `email_metrics`. All columns but the first count recipients. */
export const NUMBERS = [
  'emails',
  'recipients',
  'delivered',
  'bouncedHard',
  'bouncedSoft',
  'complained',
  'failed',
  'openedByPeople',
  'openedByMachines',
  'clicked',
] as const;
export type Numbers = Record<(typeof NUMBERS)[number], number>;

/** The numbers as columns of a query's result, all with the given type. */
export function numbersAs<Kind extends 'int4' | 'float8'>(kind: Kind): Readonly<Record<keyof Numbers, Kind>> {
  return Object.fromEntries(NUMBERS.map((name) => [name, kind])) as Record<keyof Numbers, Kind>;
}

export interface TallyPart extends Numbers {
  dimension: Dimension;
  /** The value of the dimension. Empty in the dimension that counts all emails together, and for emails without a tag. */
  value: string;
  /** Whether this part is the sum of all values that have no part of their own. If so, `value` is empty. */
  isRest: boolean;
  /** The count of each bucket in `latency.ts`. */
  latency: number[];
}

/** How many values beyond the maximum a dimension may have in memory, on average, before the smallest are merged. */
const SLACK = 1_000;

export class Tally {
  readonly #parts = new Map<string, TallyPart>();
  readonly #values: number;

  /** @param values the maximum number of values of a dimension that have a part of their own. Attack: each email has unique tags */
  constructor(values: number) {
    this.#values = values;
  }

  add(part: Readonly<TallyPart>): void {
    const key = `${part.dimension} ${part.isRest} ${part.value}`;
    const sum = this.#parts.get(key);
    if (sum === undefined) {
      this.#parts.set(key, { ...part, latency: [...part.latency] });
      if (this.#parts.size > DIMENSIONS.length * (this.#values + SLACK)) this.#limit();
      return;
    }
    for (const name of NUMBERS) sum[name] += part[name];
    for (const [at, count] of part.latency.entries()) sum.latency[at] = (sum.latency[at] ?? 0) + count;
  }

  /** The largest values of each dimension, and the sum of all other values. */
  parts(): TallyPart[] {
    this.#limit();
    return [...this.#parts.values()];
  }

  #limit(): void {
    for (const dimension of DIMENSIONS) {
      const named = [...this.#parts].filter(([, part]) => part.dimension === dimension && !part.isRest);
      const small = named
        .toSorted(
          ([, one], [, other]) => other.recipients - one.recipients || (one.value < other.value ? -1 : 1),
        )
        .slice(this.#values);
      for (const [key] of small) this.#parts.delete(key);
      for (const [, part] of small) this.add({ ...part, value: '', isRest: true });
    }
  }
}
