/** Grows with what arrives of a message, within limits. */

/**
 * `too-large`, `no-memory`: the content is read to its end and lost. `bare-line-end`: nobody can know any more where it ends.
 */
export type ContentFault = 'too-large' | 'no-memory' | 'bare-line-end';

export type ReadContent = { data: Buffer } | { fault: ContentFault };

const FIRST_CAPACITY = 16 * 1024;
/** Up to here it grows by doubling. Beyond, it takes all that it may need at once: to copy what is larger takes milliseconds. */
export const GROWN_OCTETS = 256 * 1024;
const NOTHING = Buffer.alloc(0);

export class ContentBuffer {
  readonly #maxOctets: number;
  readonly #reserve: (octets: number) => boolean;
  readonly #expectedOctets: number;
  #content: Buffer = NOTHING;
  #length = 0;
  #lost: 'too-large' | 'no-memory' | null = null;

  /**
   * @param maxOctets of the content
   * @param reserve is asked before so many more octets of memory are taken; false: there is no memory
   * @param expectedOctets what it takes once it is larger than `GROWN_OCTETS`, which the system gives as it is filled
   */
  constructor(maxOctets: number, reserve: (octets: number) => boolean, expectedOctets = maxOctets) {
    this.#maxOctets = maxOctets;
    this.#reserve = reserve;
    this.#expectedOctets = expectedOctets;
  }

  /** Makes room for so many octets more. It grows by doubling: a Buffer for each chunk would let one octet a packet cost a hundred. */
  grow(octets: number): void {
    if (this.#lost !== null) return;
    const needed = Math.min(this.#length + octets, this.#maxOctets);
    if (needed <= this.#content.length) return;
    const capacity = this.#capacityFor(needed);
    if (!this.#reserve(capacity - this.#content.length)) return this.#lose('no-memory');
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.#content.copy(larger, 0, 0, this.#length);
    this.#content = larger;
  }

  #capacityFor(needed: number): number {
    if (needed > GROWN_OCTETS) return needed <= this.#expectedOctets ? this.#expectedOctets : this.#maxOctets;
    let capacity = FIRST_CAPACITY;
    while (capacity < needed) capacity *= 2;
    return Math.min(capacity, this.#maxOctets);
  }

  /** After `grow`. */
  keep(octet: number): void {
    if (this.#lost !== null) return;
    if (this.#length === this.#maxOctets) this.#lose('too-large');
    else this.#content[this.#length++] = octet;
  }

  /** What was kept, or why it was not. */
  get read(): ReadContent {
    return this.#lost === null ? { data: this.#content.subarray(0, this.#length) } : { fault: this.#lost };
  }

  #lose(why: 'too-large' | 'no-memory'): void {
    this.#lost = why;
    this.#content = NOTHING;
  }
}
