/**
 * Destinations as label values. Senders can invent any number of destinations, and each label value is a series in memory, in each scrape
 * and in storage. Therefore only a few destinations, which receive much mail, get their own label value.
 */

const MAX_NAMES = 100;
/** A name gets its own label value as soon as this many of at most `WINDOW` consecutive calls were for it. */
const WORTH = 10;
const WINDOW = 1_000;
const MAX_LENGTH = 253;
/** Only names that match can get their own label value. Address literals and invalid names cannot. */
const DOMAIN_NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/;
const OTHER = 'other';

/** Decides which names get their own label value. Exported for tests. */
export class DestinationLabels {
  readonly #names = new Set<string>();
  readonly #counts = new Map<string, number>();
  #calls = 0;

  /** Returns the destination, or `other`. In its lifetime, a process returns at most a hundred different destinations. */
  readonly labelOf = (destination: string): string => {
    if (this.#names.has(destination)) return destination;
    if (this.#names.size === MAX_NAMES || destination.length > MAX_LENGTH) return OTHER;
    this.#calls += 1;
    if (this.#calls > WINDOW) {
      this.#counts.clear();
      this.#calls = 1;
    }
    const count = (this.#counts.get(destination) ?? 0) + 1;
    this.#counts.set(destination, count);
    if (count < WORTH || !DOMAIN_NAME.test(destination)) return OTHER;
    this.#names.add(destination);
    return destination;
  };
}

/** The label value for a destination. Call this once per attempt. @param destination a domain in lower-case A-labels */
export const destinationLabel = new DestinationLabels().labelOf;
