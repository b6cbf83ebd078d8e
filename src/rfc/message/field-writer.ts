/** Writes one header field, and folds the field at the end of each line (RFC 5322, sections 2.1.1 and 2.2.3). */
import { encodeWords, MIN_WORD } from '../mime/encoded-word.ts';

/** The maximum length of a line. RFC 5322 recommends 78, but RFC 2047, section 2, allows only 76 for lines with encoded words. */
export const LINE_LENGTH = 76;

export class FieldWriter {
  #text: string;
  #column: number;
  #isFirst = true;

  /** @param name the field name, printable ASCII without a colon, at most 76 characters */
  constructor(name: string) {
    this.#text = `${name}:`;
    this.#column = name.length + 1;
  }

  /** Adds a token, which is never folded. @param gap the white space before the token, which unfolding restores */
  add(token: string, gap = ' '): void {
    const length = gap.length + token.length;
    // Some spam filters distrust an empty first line, so the first token stays on the first line if possible.
    const mayFold = !this.#isFirst || this.#left(gap) < MIN_WORD;
    if (mayFold && length > LINE_LENGTH - this.#column) {
      this.#text += '\r\n';
      this.#column = 0;
    }
    this.#text += gap + token;
    this.#column += length;
    this.#isFirst = false;
  }

  /** Adds text as encoded words. @param gap the white space before the encoded words, at most half a line */
  addEncoded(text: string, gap = ' '): void {
    let before = gap;
    const left = this.#left(gap);
    for (const word of encodeWords(text, left < MIN_WORD ? LINE_LENGTH - gap.length : left)) {
      this.add(word, before);
      before = ' ';
    }
  }

  /** The number of characters that are free on the line after the gap. */
  #left(gap: string): number {
    return LINE_LENGTH - this.#column - gap.length;
  }

  /** Returns the field with its final CRLF. */
  finish(): string {
    return `${this.#text}\r\n`;
  }
}
