/**
 * The content of a message between DATA and its end, as a server reads it (RFC 5321, sections 4.1.1.4 and 4.5.2).
 *
 *   lineStart --'.'--> dot --CR--> dotCr --LF--> the end
 *       |               `--other: the dot was stuffing, and is dropped--> text
 *       `--other--> text --CR--> cr --LF--> lineStart
 *
 * Only CRLF ends a line, and only CRLF . CRLF ends the data. A server that lets a bare CR or LF pass hands its
 * neighbour a message in which the other may find an end, and commands after it (SMTP smuggling, CVE-2023-51764 and
 * its like). So both end the reading, with a fault.
 */
import { ContentBuffer, type ReadContent } from './content-buffer.ts';

type State = 'lineStart' | 'dot' | 'dotCr' | 'text' | 'cr';

export interface DataEnd {
  /** The content without dot-stuffing. */
  read: ReadContent;
  /** The octets that arrived after the end. */
  rest: Buffer;
}

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

export class DataReader {
  readonly #content: ContentBuffer;
  #state: State = 'lineStart';

  /** @param limits see `ContentBuffer` */
  constructor(...limits: ConstructorParameters<typeof ContentBuffer>) {
    this.#content = new ContentBuffer(...limits);
  }

  /** Null: the end has not come yet. */
  push(chunk: Buffer): DataEnd | null {
    // One octet more than arrives now: the CR of the last chunk is kept when its LF comes.
    this.#content.grow(chunk.length + 1);
    for (let at = 0; at < chunk.length; at++) {
      const octet = chunk[at] as number;
      switch (this.#state) {
        case 'lineStart':
          if (octet === DOT) this.#state = 'dot';
          else if (!this.#text(octet)) return bareLineEnd;
          break;
        case 'dot':
          if (octet === CR) this.#state = 'dotCr';
          else if (!this.#text(octet)) return bareLineEnd;
          break;
        case 'dotCr':
          if (octet !== LF) return bareLineEnd;
          return { read: this.#content.read, rest: chunk.subarray(at + 1) };
        case 'text':
          if (!this.#text(octet)) return bareLineEnd;
          break;
        case 'cr':
          if (octet !== LF) return bareLineEnd;
          this.#content.keep(CR);
          this.#content.keep(LF);
          this.#state = 'lineStart';
          break;
      }
    }
    return null;
  }

  /** False for a bare LF. */
  #text(octet: number): boolean {
    if (octet === LF) return false;
    if (octet === CR) {
      this.#state = 'cr';
    } else {
      this.#content.keep(octet);
      this.#state = 'text';
    }
    return true;
  }
}

const bareLineEnd: DataEnd = { read: { fault: 'bare-line-end' }, rest: Buffer.alloc(0) };
