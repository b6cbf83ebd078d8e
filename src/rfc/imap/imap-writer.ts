/**
 * Writes values of IMAP responses (RFC 9051, section 9): quoted strings, which may contain UTF-8 (`QUOTED-CHAR`), and NIL.
 * The output has no NUL, CR, LF or lone surrogate. Values beyond the budget are omitted.
 */
export class ImapWriter {
  #left: number;

  constructor(maxCharacters: number) {
    this.#left = maxCharacters;
  }

  /** `nstring`: NIL for null, and for a value that does not fit. */
  text(value: string | null): string {
    if (value === null || value.length > this.#left) return 'NIL';
    this.#left -= value.length;
    return quoted(value);
  }

  /** `string`: empty if the value does not fit. */
  string(value: string): string {
    return value.length > this.#left ? '""' : this.text(value);
  }

  /** Whether about this many characters still fit. If so, deducts them from the budget. */
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
