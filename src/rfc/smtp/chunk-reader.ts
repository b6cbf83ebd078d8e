/**
 * A message in chunks (RFC 3030, section 2): BDAT gives the length of each, and no dot is doubled.
 *
 * BINARYMIME is not offered, so the content is lines that end with CRLF, as after DATA. A bare LF becomes CRLF: octets are counted, so no
 * line end can end the message. A line end may span two chunks. Attack: a bare CR that is stored here and sent on in DATA may end the
 * message for the next server, so it is a fault.
 */
import { ContentBuffer, type ReadContent } from './content-buffer.ts';

const CR = 0x0d;
const LF = 0x0a;

export class ChunkReader {
  readonly #content: ContentBuffer;
  #left = 0;
  #afterCr = false;
  #isBroken = false;

  /** @param limits see `ContentBuffer` */
  constructor(...limits: ConstructorParameters<typeof ContentBuffer>) {
    this.#content = new ContentBuffer(...limits);
  }

  /** The next chunk has so many octets. */
  begin(octets: number): void {
    this.#left = octets;
  }

  /** Whether octets of the chunk are still to come. */
  get isWithin(): boolean {
    return this.#left > 0;
  }

  /** @returns what arrived after the end of the chunk */
  push(octets: Buffer): Buffer {
    const ofChunk = octets.subarray(0, this.#left);
    this.#left -= ofChunk.length;
    if (!this.#isBroken) this.#isBroken = !this.#keep(ofChunk);
    return octets.subarray(ofChunk.length);
  }

  /** What was read up to now. Every line ends with CRLF. */
  get read(): ReadContent {
    return this.#isBroken ? { fault: 'bare-line-end' } : this.#content.read;
  }

  /** The whole message, after its last chunk. */
  get readToEnd(): ReadContent {
    return this.#afterCr ? { fault: 'bare-line-end' } : this.read;
  }

  /** False at a bare CR. */
  #keep(octets: Buffer): boolean {
    // One octet more than arrives now: the CR of the last chunk is stored when its LF arrives.
    this.#content.grow(octets.length + 1);
    for (let at = 0; at < octets.length; at++) {
      const octet = octets[at] as number;
      if (this.#afterCr && octet !== LF) return false;
      if (octet === LF) {
        if (!this.#afterCr) this.#content.grow(octets.length - at + 2);
        this.#content.keep(CR);
        this.#content.keep(LF);
        this.#afterCr = false;
      } else if (octet === CR) this.#afterCr = true;
      else this.#content.keep(octet);
    }
    return true;
  }
}
