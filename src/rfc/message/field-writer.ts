/** One header field, folded as it grows (RFC 5322, sections 2.1.1 and 2.2.3). */
import { encodeWords, MIN_WORD } from './encoded-word.ts';

/** RFC 5322 asks for at most 78; RFC 2047, section 2, for at most 76 where there are encoded words. */
export const LINE_LENGTH = 76;

export class FieldWriter {
  #text: string;
  #column: number;
  #isFirst = true;

  /** @param name printable ASCII without a colon, at most 76 characters */
  constructor(name: string) {
    this.#text = `${name}:`;
    this.#column = name.length + 1;
  }

  /** Adds a token that is not folded. What stands before it is kept: unfolding gives it back. */
  add(token: string, gap = ' '): void {
    const length = gap.length + token.length;
    // Some filters think ill of a first line without content, so it gets the first token if at all possible.
    const mayFold = !this.#isFirst || this.#room(gap) < MIN_WORD;
    if (mayFold && length > LINE_LENGTH - this.#column) {
      this.#text += '\r\n';
      this.#column = 0;
    }
    this.#text += gap + token;
    this.#column += length;
    this.#isFirst = false;
  }

  /** Adds text as encoded words. The gap, at most half a line, is not part of them. */
  addEncoded(text: string, gap = ' '): void {
    let before = gap;
    const room = this.#room(gap);
    for (const word of encodeWords(text, room < MIN_WORD ? LINE_LENGTH - gap.length : room)) {
      this.add(word, before);
      before = ' ';
    }
  }

  /** What the line has left behind a gap. */
  #room(gap: string): number {
    return LINE_LENGTH - this.#column - gap.length;
  }

  /** The field with the CRLF that ends it. */
  finish(): string {
    return `${this.#text}\r\n`;
  }
}
