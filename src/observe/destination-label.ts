/**
 * Destinations as label values. Senders can invent any number of them, and each value is a series in memory, in each scrape and in
 * storage. So only a few destinations, those with much mail, get their own value.
 */

const MAX_NAMES = 100;
/** A name gets a series if this many of `WINDOW` consecutive calls were for that name. */
const WORTH = 10;
const WINDOW = 1_000;
const MAX_LENGTH = 253;
/** Address literals, and texts that are not names, never get their own series. */
const DOMAIN_NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/;
const OTHER = 'other';

/** Decides which names get a series. Exported for tests. */
export class DestinationLabels {
  readonly #names = new Set<string>();
  readonly #counts = new Map<string, number>();
  #calls = 0;

  /** The destination, or `other`: at most a hundred different names in the lifetime of the process. */
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

/** Call once per attempt. @param destination a domain in lower-case A-labels */
export const destinationLabel = new DestinationLabels().labelOf;
