/** Grows with what arrives of a message, within limits. */

/**
 * `too-large`, `no-memory`: the content is read to its end and lost. `bare-line-end`: nobody can know any more where it ends.
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
  #lost: 'too-large' | 'no-memory' | null = null;

  /**
   * @param maxOctets of the content
   * @param reserve is asked before so many more octets of memory are taken; false: there is no memory
   */
  constructor(maxOctets: number, reserve: (octets: number) => boolean) {
    this.#maxOctets = maxOctets;
    this.#reserve = reserve;
  }

  /** Makes room for so many octets more. It grows by doubling: a Buffer for each chunk would let one octet a packet cost a hundred. */
  grow(octets: number): void {
    if (this.#lost !== null) return;
    const needed = Math.min(this.#length + octets, this.#maxOctets);
    if (needed <= this.#content.length) return;
    let capacity = FIRST_CAPACITY;
    while (capacity < needed) capacity *= 2;
    capacity = Math.min(capacity, this.#maxOctets);
    if (!this.#reserve(capacity - this.#content.length)) return this.#lose('no-memory');
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.#content.copy(larger, 0, 0, this.#length);
    this.#content = larger;
  }

  /** After `grow`. */
  keep(octet: number): void {
    if (this.#lost !== null) return;
    if (this.#length === this.#maxOctets) this.#lose('too-large');
    else this.#content[this.#length++] = octet;
  }

  append(octets: Buffer): void {
    this.grow(octets.length);
    if (this.#lost !== null) return;
    if (this.#length + octets.length > this.#maxOctets) return this.#lose('too-large');
    this.#length += octets.copy(this.#content, this.#length);
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
