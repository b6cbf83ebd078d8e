/**
 * A message in chunks (RFC 3030, section 2): how long each is stands in its BDAT, and no dot is doubled.
 *
 * BINARYMIME is not offered, so the content is lines that end with CRLF, as after DATA. Attack: a message with a bare CR or LF
 * is filed here, and whoever sends it on in DATA hands its neighbour an end of data that nobody saw before. A client that has signed in
 * may end lines as its machine does: what it sends is written anew before it goes on (`lenient-data-reader.ts`).
 */
import { ContentBuffer, type ReadContent } from './content-buffer.ts';

const CR = 0x0d;
const LF = 0x0a;

export class ChunkReader {
  readonly #content: ContentBuffer;
  #left = 0;
  #afterCr = false;
  #isBroken = false;
  readonly #takesBareLineEnds: boolean;

  /** @param takesBareLineEnds keeps them as they came @param limits see `ContentBuffer` */
  constructor(takesBareLineEnds: boolean, ...limits: ConstructorParameters<typeof ContentBuffer>) {
    this.#content = new ContentBuffer(...limits);
    this.#takesBareLineEnds = takesBareLineEnds;
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
    if (!this.#isBroken && !this.#takesBareLineEnds) this.#isBroken = this.#hasBareLineEnd(ofChunk);
    if (!this.#isBroken) this.#content.append(ofChunk);
    return octets.subarray(ofChunk.length);
  }

  /** What was read up to now. */
  get read(): ReadContent {
    return this.#isBroken ? { fault: 'bare-line-end' } : this.#content.read;
  }

  /** The whole message, after its last chunk. */
  get readToEnd(): ReadContent {
    return this.#afterCr ? { fault: 'bare-line-end' } : this.read;
  }

  #hasBareLineEnd(octets: Buffer): boolean {
    let at = 0;
    while (at < octets.length) {
      if (this.#afterCr) {
        if (octets[at] !== LF) return true;
        this.#afterCr = false;
        at += 1;
        continue;
      }
      const cr = octets.indexOf(CR, at);
      const end = cr === -1 ? octets.length : cr;
      const lf = octets.subarray(at, end).indexOf(LF);
      if (lf !== -1) return true;
      this.#afterCr = cr !== -1;
      at = end + 1;
    }
    return false;
  }
}
