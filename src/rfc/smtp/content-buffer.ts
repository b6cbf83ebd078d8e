/** A buffer that grows with an arriving message, within limits. */

/**
 * `too-large` and `no-memory`: the content is read to its end, but discarded. `bare-line-end`: because of a line end other than CRLF,
 * servers could disagree on where the message ends.
 */
export type ContentFault = 'too-large' | 'no-memory' | 'bare-line-end';

export type ReadContent = { data: Buffer } | { fault: ContentFault };

const FIRST_CAPACITY = 16 * 1024;
/** Up to this size, the buffer grows by doubling. Beyond it, the final capacity is reserved at once: each copy would take milliseconds. */
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
   * @param maxOctets the maximum size of the content
   * @param reserve called before `octets` more octets are allocated; returns false if there is no memory
   * @param expectedOctets the capacity of a buffer above `GROWN_OCTETS`; the system provides memory only for the part that is filled
   */
  constructor(maxOctets: number, reserve: (octets: number) => boolean, expectedOctets = maxOctets) {
    this.#maxOctets = maxOctets;
    this.#reserve = reserve;
    this.#expectedOctets = expectedOctets;
  }

  /** Makes space for more octets. Attack: with a `Buffer` per packet, a packet of one octet would cost a hundred octets. */
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

  /** Appends an octet, for which the caller must have called `grow`. */
  append(octet: number): void {
    if (this.#lost !== null) return;
    if (this.#length === this.#maxOctets) this.#lose('too-large');
    else this.#content[this.#length++] = octet;
  }

  /** The content, or the fault that caused the content to be discarded. */
  get read(): ReadContent {
    return this.#lost === null ? { data: this.#content.subarray(0, this.#length) } : { fault: this.#lost };
  }

  #lose(why: 'too-large' | 'no-memory'): void {
    this.#lost = why;
    this.#content = NOTHING;
  }
}
