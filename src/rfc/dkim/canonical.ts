/** The "relaxed" canonicalizations (RFC 6376, sections 3.4.2 and 3.4.4). Only CRLF ends a line. */

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SP = 0x20;

const MORE_THAN_SPACES = /[\t\r]| {2}/;
/** Folds and runs of white space. The branches begin with different characters, so that the expression never backtracks. */
const WHITESPACE_RUN = /(?:[ \t]|\r\n(?=[ \t]))+/g;

/**
 * Canonicalizes a field body (RFC 6376, section 3.4.2). Unfolds the text, replaces each run of white space by one space, and removes space
 * at the ends. `String.prototype.trim` would also remove a no-break space, which is content.
 *
 * @param body the text between the colon and the CRLF that ends the field
 */
export function relaxFieldBody(body: string): string {
  const text = MORE_THAN_SPACES.test(body) ? body.replace(WHITESPACE_RUN, ' ') : body;
  const start = text.startsWith(' ') ? 1 : 0;
  return text.slice(start, text.length > start && text.endsWith(' ') ? -1 : undefined);
}

const RUN_OR_TRAILING = / [ \r]/;

/**
 * Canonicalizes a message body (RFC 6376, section 3.4.4). Removes white space at the ends of lines and empty lines at the end of the body,
 * replaces every other run of white space by one space, and ends the last line with CRLF. A body without content becomes empty.
 *
 * @returns the canonical body, which shares memory with `body` if nothing changes
 */
export function relaxBody(body: Buffer): Buffer {
  const text = body.toString('latin1');
  // Three separate searches are twice as fast as one regular expression.
  const mayChange = text.includes('\t') || RUN_OR_TRAILING.test(text) || !text.endsWith('\r\n');
  if (mayChange) return rewriteBody(body);
  let end = body.length;
  while (end >= 2 && body[end - 2] === CR && body[end - 1] === LF) end -= 2;
  return end === 0 ? body.subarray(0, 0) : body.subarray(0, end + 2);
}

/** Rewrites the body in one pass. Writes white space and line ends only when content follows. */
function rewriteBody(body: Buffer): Buffer {
  const relaxed = Buffer.allocUnsafe(body.length + 2);
  let length = 0;
  let heldSpace = false;
  let heldLineEnds = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number;
    if (byte === SP || byte === TAB) {
      heldSpace = true;
    } else if (byte === CR && body[at + 1] === LF) {
      heldSpace = false;
      heldLineEnds++;
      at++;
    } else {
      for (; heldLineEnds > 0; heldLineEnds--) {
        relaxed[length++] = CR;
        relaxed[length++] = LF;
      }
      if (heldSpace) relaxed[length++] = SP;
      heldSpace = false;
      relaxed[length++] = byte;
    }
  }
  if (length === 0) return relaxed.subarray(0, 0);
  relaxed[length++] = CR;
  relaxed[length++] = LF;
  return relaxed.subarray(0, length);
}
