/** One header field, folded as it grows (RFC 5322, sections 2.1.1 and 2.2.3). */
import { encodeWords, MIN_WORD } from '../mime/encoded-word.ts';

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

  /** Adds a token that is not folded. The gap before it is kept: unfolding gives it back. */
  add(token: string, gap = ' '): void {
    const length = gap.length + token.length;
    // Some filters distrust a first line without content, so the first token goes there if at all possible.
    const mayFold = !this.#isFirst || this.#left(gap) < MIN_WORD;
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
    const left = this.#left(gap);
    for (const word of encodeWords(text, left < MIN_WORD ? LINE_LENGTH - gap.length : left)) {
      this.add(word, before);
      before = ' ';
    }
  }

  /** How many characters the line still takes behind a gap. */
  #left(gap: string): number {
    return LINE_LENGTH - this.#column - gap.length;
  }

  /** The field with the CRLF that ends it. */
  finish(): string {
    return `${this.#text}\r\n`;
  }
}
