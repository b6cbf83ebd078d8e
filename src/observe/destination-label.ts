/**
 * Destinations as values of a label. A sender can make up any number of them, and each value is a series that is kept, sent and
 * stored. So only a few destinations, which get much mail, have a value of their own.
 */

const MAX_NAMES = 100;
/** A name gets a series when so many of so many calls in a row were for it. */
const WORTH = 10;
const WINDOW = 1_000;
const MAX_LENGTH = 253;
/** Address literals, and texts that are not names, have no series of their own. */
const DOMAIN_NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/;
const OTHER = 'other';

/** Decides which names get a series. Exported for tests. */
export class DestinationLabels {
  readonly #names = new Set<string>();
  readonly #counts = new Map<string, number>();
  #calls = 0;

  /** The destination, or `other`: at most a hundred different names for the life of the process. */
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

/** Called once for each attempt. @param destination a domain in A-labels and lower case */
export const destinationLabel = new DestinationLabels().labelOf;
