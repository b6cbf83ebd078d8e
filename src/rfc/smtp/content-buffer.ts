/** A buffer for an arriving message. Its owner empties it from time to time, so that a large message need not be in memory as a whole. */

/**
 * `too-large` and `no-memory`: the content is read to its end, but discarded. `bare-line-end`: because of a line end other than CRLF,
 * servers could disagree on where the message ends.
 */
export type ContentFault = 'too-large' | 'no-memory' | 'bare-line-end';

export type ReadContent = { data: Buffer } | { fault: ContentFault };

const FIRST_CAPACITY = 16 * 1024;
const NOTHING = Buffer.alloc(0);

export class ContentBuffer {
  readonly #maxOctets: number;
  readonly #reserve: (octets: number) => boolean;
  #content: Buffer = NOTHING;
  #length = 0;
  /** Octets that were taken with `drain`. */
  #drained = 0;
  #lost: 'too-large' | 'no-memory' | null = null;

  /**
   * @param maxOctets the maximum size of the content
   * @param reserve called before `octets` more octets are allocated; returns false if there is no memory
   */
  constructor(maxOctets: number, reserve: (octets: number) => boolean) {
    this.#maxOctets = maxOctets;
    this.#reserve = reserve;
  }

  /** Octets in the buffer. */
  get length(): number {
    return this.#length;
  }

  /** Makes space for more octets. Attack: with a `Buffer` per packet, a packet of one octet would cost a hundred octets. */
  grow(octets: number): void {
    if (this.#lost !== null) return;
    const needed = Math.min(this.#length + octets, this.#maxOctets - this.#drained);
    if (needed <= this.#content.length) return;
    let capacity = FIRST_CAPACITY;
    while (capacity < needed) capacity *= 2;
    capacity = Math.min(capacity, this.#maxOctets);
    if (!this.#reserve(capacity - this.#content.length)) return this.lose('no-memory');
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.#content.copy(larger, 0, 0, this.#length);
    this.#content = larger;
  }

  /** Appends an octet, for which the caller must have called `grow`. */
  append(octet: number): void {
    if (this.#lost !== null) return;
    if (this.#drained + this.#length === this.#maxOctets) this.lose('too-large');
    else this.#content[this.#length++] = octet;
  }

  /** Takes the octets out of the buffer. They are valid until the next call of `append`. */
  drain(): Buffer {
    const octets = this.#content.subarray(0, this.#length);
    this.#drained += this.#length;
    this.#length = 0;
    return octets;
  }

  /** The content that was not drained, or the fault that caused the content to be discarded. */
  get read(): ReadContent {
    return this.#lost === null ? { data: this.#content.subarray(0, this.#length) } : { fault: this.#lost };
  }

  /** Discards the content, and all octets that follow. */
  lose(why: 'too-large' | 'no-memory'): void {
    this.#lost = why;
    this.#content = NOTHING;
    this.#length = 0;
  }
}
