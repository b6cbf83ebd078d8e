/**
 * Reads the content of a message between DATA and its end, as a server (RFC 5321, sections 4.1.1.4 and 4.5.2).
 *
 *   lineStart --'.'--> dot --CR--> dotCr --LF, after CRLF--> the end
 *       |               `--other: the dot was stuffing, and is dropped--> text
 *       `--other--> text --CR--> cr --LF--> lineStart
 *
 * Only CRLF . CRLF ends the data. Some programs end lines with a bare LF, which becomes CRLF. A dot alone on a line with a bare LF before
 * or after the dot is a fault, and every bare CR is a fault. Attack: another server before or after this server finds the end of the
 * message at such a line, and reads the rest of the message as commands (SMTP smuggling, CVE-2023-51764).
 */
import { ContentBuffer, type ReadContent } from './content-buffer.ts';

type State = 'lineStart' | 'dot' | 'dotCr' | 'text' | 'cr';

export interface DataEnd {
  /** The content without dot-stuffing. Every line ends with CRLF. */
  read: ReadContent;
  /** The octets after the end of the data. */
  rest: Buffer;
}

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

export class DataReader {
  readonly content: ContentBuffer;
  #state: State = 'lineStart';
  /** Whether the previous line ended with a bare LF. */
  #isAfterBareLf = false;

  /** @param limits see `ContentBuffer` */
  constructor(...limits: ConstructorParameters<typeof ContentBuffer>) {
    this.content = new ContentBuffer(...limits);
  }

  /** Reads the next octets of the message. @returns null if the end of the data has not arrived yet */
  push(chunk: Buffer): DataEnd | null {
    // The additional octet is for a CR at the end of the previous chunk, which is stored when the LF arrives.
    this.content.grow(chunk.length + 1);
    for (let at = 0; at < chunk.length; at++) {
      const octet = chunk[at] as number;
      switch (this.#state) {
        case 'lineStart':
          if (octet === DOT) this.#state = 'dot';
          else this.#text(octet, chunk.length - at);
          break;
        case 'dot':
          if (octet === LF) return bareLineEnd;
          if (octet === CR) this.#state = 'dotCr';
          else this.#text(octet, chunk.length - at);
          break;
        case 'dotCr':
          if (octet !== LF || this.#isAfterBareLf) return bareLineEnd;
          return { read: this.content.read, rest: chunk.subarray(at + 1) };
        case 'text':
          this.#text(octet, chunk.length - at);
          break;
        case 'cr':
          if (octet !== LF) return bareLineEnd;
          this.#endLine(false);
          break;
      }
    }
    return null;
  }

  /** Processes an octet of a line. @param left the number of octets in the chunk from `octet` on */
  #text(octet: number, left: number): void {
    if (octet === CR) {
      this.#state = 'cr';
    } else if (octet === LF) {
      // The bare LF becomes two octets, and a CR at the end of the previous chunk needs one more octet.
      this.content.grow(left + 2);
      this.#endLine(true);
    } else {
      this.content.append(octet);
      this.#state = 'text';
    }
  }

  #endLine(isBare: boolean): void {
    this.content.append(CR);
    this.content.append(LF);
    this.#isAfterBareLf = isBare;
    this.#state = 'lineStart';
  }
}

const bareLineEnd: DataEnd = { read: { fault: 'bare-line-end' }, rest: Buffer.alloc(0) };
