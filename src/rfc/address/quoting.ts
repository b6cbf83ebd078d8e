/** Atoms and quoted strings (RFC 5322, sections 3.2.3 and 3.2.4; UTF-8 as in RFC 6532). */

const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
const DOT = 0x2e;
const BACKSLASH = 0x5c;
const DELETE = 0x7f;

/** RFC 5322, section 3.2.3. */
const ATEXT = "!#$%&'*+-/0123456789=?ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz{|}~";

/** 1 for the octets of an atom, by code below 128. */
export const IS_ATEXT = new Uint8Array(128);
for (let at = 0; at < ATEXT.length; at++) IS_ATEXT[ATEXT.charCodeAt(at)] = 1;

const NEEDS_ESCAPE = /["\\]/g;

/** Whether a local part needs no quotes. */
export function isDotAtom(text: string): boolean {
  return isAtoms(text, DOT);
}

/** Whether a text is atoms with one separator between each two. */
function isAtoms(text: string, separator: number): boolean {
  let previous = separator;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === separator ? previous === separator : code < 0x80 && IS_ATEXT[code] === 0) return false;
    previous = code;
  }
  return previous !== separator;
}

/** Escapes what must be escaped, and nothing else. */
export function quote(text: string): string {
  return `"${text.replace(NEEDS_ESCAPE, '\\$&')}"`;
}

/** The position at which the quoted string closes that opens at `start`; -1 when it does not, or holds what it must not. */
export function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    let code = text.charCodeAt(at);
    if (code === DOUBLE_QUOTE) return at;
    if (code === BACKSLASH) {
      code = text.charCodeAt(++at);
      // RFC 6531 extends what may be quoted, not what a backslash may stand before.
      if (!(code < DELETE)) return -1;
    }
    if (code < SPACE || code === DELETE) return -1;
  }
  return -1;
}

const ESCAPED = /\\(.)/g;

/** The content of the quoted string between the positions of its quotes. */
export function unquote(text: string, open: number, close: number): string {
  const inner = text.slice(open + 1, close);
  return inner.includes('\\') ? inner.replace(ESCAPED, '$1') : inner;
}

/** A display name as atoms where that is possible, else as a quoted string. */
export function formatPhrase(name: string): string {
  return isAtoms(name, SPACE) ? name : quote(name);
}

/**
 * `address` or `Name <address>` on one line. Reading it again gives an equal mailbox. In a message, a name beyond
 * ASCII must be written in encoded words instead.
 */
export function formatMailbox(mailbox: { displayName: string | null; address: string }): string {
  const { displayName, address } = mailbox;
  return displayName === null ? address : `${formatPhrase(displayName)} <${address}>`;
}
