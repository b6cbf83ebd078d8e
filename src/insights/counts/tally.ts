/** What became of emails, by what they have in common: counts that are added, whatever they are counts of. */

import { type Dimension, DIMENSIONS } from '../../model/dimensions.ts';

/** Columns of `email_metrics`; each is a number of recipients but the first. */
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

/** What a statement returns of them, each of one type. */
export function numbersAs<Kind extends 'int4' | 'float8'>(kind: Kind): Readonly<Record<keyof Numbers, Kind>> {
  return Object.fromEntries(NUMBERS.map((name) => [name, kind])) as Record<keyof Numbers, Kind>;
}

export interface TallyPart extends Numbers {
  dimension: Dimension;
  /** Empty: all of them, or those without a tag. */
  value: string;
  /** All values together that are not named. Then `value` is empty. */
  isRest: boolean;
  /** How many are in each bucket of `latency.ts`. */
  latency: number[];
}

/** So many values more than wanted are held in between. */
const SLACK = 1_000;

export class Tally {
  readonly #parts = new Map<string, TallyPart>();
  readonly #values: number;

  /** @param values how many of a dimension are named; attack: each email has tags that no other one has */
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

  /** The largest values of each dimension, and the rest. */
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
