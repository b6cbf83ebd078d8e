/**
 * Values of IMAP responses as text (RFC 9051, section 9): quoted strings, which may hold UTF-8 (`QUOTED-CHAR`), and NIL. No
 * NUL, CR or LF and no half of a surrogate pair is in it. What does not fit into the budget is left out.
 */
export class ImapWriter {
  #left: number;

  constructor(maxCharacters: number) {
    this.#left = maxCharacters;
  }

  /** `nstring`: NIL for null, and for what does not fit. */
  text(value: string | null): string {
    if (value === null || value.length > this.#left) return 'NIL';
    this.#left -= value.length;
    return quoted(value);
  }

  /** `string`: empty where it does not fit. */
  string(value: string): string {
    return value.length > this.#left ? '""' : this.text(value);
  }

  /** Whether something of about this length still fits; if so, it is taken off. */
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
