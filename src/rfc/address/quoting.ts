/** Atoms and quoted strings (RFC 5322, sections 3.2.3 and 3.2.4; UTF-8 as in RFC 6532). */

const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
const DOT = 0x2e;
const BACKSLASH = 0x5c;
const DELETE = 0x7f;

/** The ASCII characters that are allowed in an atom (RFC 5322, section 3.2.3). */
const ATEXT = "!#$%&'*+-/0123456789=?ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz{|}~";

/** For each ASCII code: 1 if an atom may contain the character. */
export const IS_ATEXT = new Uint8Array(128);
for (let at = 0; at < ATEXT.length; at++) IS_ATEXT[ATEXT.charCodeAt(at)] = 1;

const NEEDS_ESCAPE = /["\\]/g;

/** Whether a local part needs no quotes. */
export function isDotAtom(text: string): boolean {
  return isAtoms(text, DOT);
}

/** Whether a text consists of atoms with a single separator between them. */
function isAtoms(text: string, separator: number): boolean {
  let previous = separator;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === separator ? previous === separator : code < 0x80 && IS_ATEXT[code] === 0) return false;
    previous = code;
  }
  return previous !== separator;
}

/** Writes a quoted string, and escapes only the characters that need an escape. */
export function quote(text: string): string {
  return `"${text.replace(NEEDS_ESCAPE, '\\$&')}"`;
}

/** The position of the closing quote of the quoted string that begins at `open`; -1 if the quote is missing or the content is invalid. */
export function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    let code = text.charCodeAt(at);
    if (code === DOUBLE_QUOTE) return at;
    if (code === BACKSLASH) {
      code = text.charCodeAt(++at);
      // RFC 6531 allows UTF-8 in quoted strings, but not after a backslash.
      if (!(code < DELETE)) return -1;
    }
    if (code < SPACE || code === DELETE) return -1;
  }
  return -1;
}

const ESCAPED = /\\(.)/g;

/** The unescaped content of a quoted string. @param open position of the opening quote @param close position of the closing quote */
export function unquote(text: string, open: number, close: number): string {
  const inner = text.slice(open + 1, close);
  return inner.includes('\\') ? inner.replace(ESCAPED, '$1') : inner;
}

/** Writes a display name as atoms if possible, otherwise as a quoted string. */
export function formatPhrase(name: string): string {
  return isAtoms(name, SPACE) ? name : quote(name);
}

/**
 * Writes `address` or `Name <address>` on one line. `parseMailbox` parses the result to an equal mailbox. Not for header fields, in which a
 * non-ASCII name must be written as encoded words.
 */
export function formatMailbox(mailbox: { displayName: string | null; address: string }): string {
  const { displayName, address } = mailbox;
  return displayName === null ? address : `${formatPhrase(displayName)} <${address}>`;
}
