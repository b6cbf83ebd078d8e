/**
 * Reads a message in chunks (RFC 3030, section 2). BDAT declares the length of each chunk, so there is no dot-stuffing.
 *
 * BINARYMIME is not offered, so the content consists of lines that end with CRLF, as after DATA. A line end may span two chunks. A bare LF
 * can safely become CRLF, because the declared lengths determine the end of the message. A bare CR is a fault. Attack: a bare CR that is
 * stored and later sent with DATA ends the message for the next server.
 */
import { ContentBuffer, type ReadContent } from './content-buffer.ts';

const CR = 0x0d;
const LF = 0x0a;

export class ChunkReader {
  readonly content: ContentBuffer;
  #left = 0;
  #afterCr = false;
  #isBroken = false;

  /** @param limits see `ContentBuffer` */
  constructor(...limits: ConstructorParameters<typeof ContentBuffer>) {
    this.content = new ContentBuffer(...limits);
  }

  /** Begins the next chunk. @param octets the length of the chunk */
  begin(octets: number): void {
    this.#left = octets;
  }

  /** Whether the current chunk is incomplete. */
  get isWithin(): boolean {
    return this.#left > 0;
  }

  /** Reads the next octets of the chunk. @returns the octets after the end of the chunk */
  push(octets: Buffer): Buffer {
    const ofChunk = octets.subarray(0, this.#left);
    this.#left -= ofChunk.length;
    if (!this.#isBroken) this.#isBroken = !this.#store(ofChunk);
    return octets.subarray(ofChunk.length);
  }

  /** The content of the message so far, or the fault. Every line ends with CRLF. */
  get read(): ReadContent {
    return this.#isBroken ? { fault: 'bare-line-end' } : this.content.read;
  }

  /** The complete message after the last chunk, or the fault. */
  get readToEnd(): ReadContent {
    return this.#afterCr ? { fault: 'bare-line-end' } : this.read;
  }

  /** Stores octets. @returns false at a bare CR */
  #store(octets: Buffer): boolean {
    // The additional octet is for a CR at the end of the previous chunk, which is stored when the LF arrives.
    this.content.grow(octets.length + 1);
    for (let at = 0; at < octets.length; at++) {
      const octet = octets[at] as number;
      if (this.#afterCr && octet !== LF) return false;
      if (octet === LF) {
        if (!this.#afterCr) this.content.grow(octets.length - at + 2);
        this.content.append(CR);
        this.content.append(LF);
        this.#afterCr = false;
      } else if (octet === CR) this.#afterCr = true;
      else this.content.append(octet);
    }
    return true;
  }
}
