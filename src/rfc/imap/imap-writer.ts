/**
 * Writes values of IMAP responses (RFC 9051, section 9): quoted strings, which may contain UTF-8 (`QUOTED-CHAR`), and NIL. The output has
 * no NUL, CR, LF or lone surrogate. Values that exceed the character budget are omitted.
 */
export class ImapWriter {
  #left: number;

  constructor(maxCharacters: number) {
    this.#left = maxCharacters;
  }

  /** Writes an `nstring`. Writes NIL for null, and for a value that exceeds the budget. */
  text(value: string | null): string {
    if (value === null || value.length > this.#left) return 'NIL';
    this.#left -= value.length;
    return quoted(value);
  }

  /** Writes a `string`, which is empty if the value exceeds the budget. */
  string(value: string): string {
    return value.length > this.#left ? '""' : this.text(value);
  }

  /** Deducts characters from the budget. @returns false, without a deduction, if the budget is too small */
  fits(characters: number): boolean {
    if (characters > this.#left) return false;
    this.#left -= characters;
    return true;
  }
}

function quoted(value: string): string {
  const clean = value
    .toWellFormed()
    .replaceAll('\0', '')
    .replace(/[\r\n]+/g, ' ');
  return `"${clean.replace(/["\\]/g, '\\$&')}"`;
}
