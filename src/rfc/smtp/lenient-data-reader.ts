/**
 * The content of a message between DATA and its end (RFC 5321, sections 4.1.1.4 and 4.5.2), from a client that has signed in. Such programs
 * end lines as their machine does, so a bare CR or LF is kept as it came, for others to make right. It never means anything here.
 *
 * Safe against SMTP smuggling (CVE-2023-51764 and its like) by three rules:
 * - The end is CRLF . CRLF and nothing else, so whoever writes the text of a message through a program that doubles dots behind
 *   CRLF cannot end it, and what follows never becomes a command.
 * - Only a dot behind CRLF was doubled, so only that one is dropped.
 * - What goes out is written anew: every line end is CRLF by then, and every dot at the begin of a line is doubled (`dotStuff`). No server
 *   behind this one sees the line end that this one did not.
 */
import { ContentBuffer } from './content-buffer.ts';
import type { DataEnd } from './data-reader.ts';

const CR = 0x0d;
const LF = 0x0a;
const NOTHING = Buffer.alloc(0);
const LINE_END = Buffer.from('\r\n');
const DOT_LINE = Buffer.from('\r\n.');

export class LenientDataReader {
  readonly #content: ContentBuffer;
  /** What arrived last and may be the begin of an end. The first line begins as if one had ended before it. */
  #held: Buffer = LINE_END;
  #isFirst = true;

  /** @param limits see `ContentBuffer` */
  constructor(...limits: ConstructorParameters<typeof ContentBuffer>) {
    this.#content = new ContentBuffer(...limits);
  }

  /** Null: the end has not come yet. */
  push(chunk: Buffer): DataEnd | null {
    const input = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = NOTHING;
    let from = 0;
    for (;;) {
      const found = input.indexOf(DOT_LINE, from);
      if (found === -1) break;
      const behind = found + DOT_LINE.length;
      const [first, second] = [input[behind], input[behind + 1]];
      if (first === undefined || (first === CR && second === undefined)) {
        this.#keep(input.subarray(from, found));
        this.#held = input.subarray(found);
        return null;
      }
      this.#keep(input.subarray(from, found + LINE_END.length));
      if (first === CR && second === LF)
        return { read: this.#content.read, rest: input.subarray(behind + 2) };
      from = behind;
    }
    const end = input.length - heldBack(input, from);
    this.#keep(input.subarray(from, end));
    this.#held = input.subarray(end);
    return null;
  }

  #keep(octets: Buffer): void {
    if (octets.length === 0) return;
    this.#content.append(this.#isFirst ? octets.subarray(LINE_END.length) : octets);
    this.#isFirst = false;
  }
}

/** How many octets at the end may begin a line end that has a dot behind it. */
function heldBack(input: Buffer, from: number): number {
  const last = input.length - 1;
  if (last < from) return 0;
  if (input[last] === CR) return 1;
  return last > from && input[last] === LF && input[last - 1] === CR ? 2 : 0;
}
