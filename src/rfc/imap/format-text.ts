/** Writes texts in responses (RFC 9051, section 9: astring, string, nstring, mailbox). The length of a literal is in octets of UTF-8. */
import { encodeMailboxName } from './modified-utf7.ts';

const ATOM = /^[!#$&'+,\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]+$/;
/** Matches a text that has no NUL, CR, LF or octet above 127. */
const QUOTABLE = /^[\x01-\x09\x0b\x0c\x0e-\x7f]*$/;
const QUOTABLE_UTF8 = /^[^\0\r\n]*$/;
/** The maximum length of a quoted string. Longer texts are sent as literals, because clients may limit the length of a line. */
const MAX_QUOTED = 4_096;

/**
 * Writes a `string`, quoted if possible, otherwise as a literal.
 * @param text a text without NUL
 * @param utf8 whether the client has enabled UTF-8 in quoted strings (RFC 6855, section 3)
 */
export function formatString(text: string, utf8: boolean): string {
  const isQuotable = text.length <= MAX_QUOTED && (utf8 ? QUOTABLE_UTF8 : QUOTABLE).test(text);
  return isQuotable ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : `{${Buffer.byteLength(text)}}\r\n${text}`;
}

/** Writes an `nstring`. */
export function formatNstring(text: string | null, utf8: boolean): string {
  return text === null ? 'NIL' : formatString(text, utf8);
}

/** Writes an `astring`, as an atom if possible. The text NIL is quoted, because many clients would read the atom NIL as null. */
export function formatAstring(text: string, utf8: boolean): string {
  return ATOM.test(text) && text.toUpperCase() !== 'NIL' ? text : formatString(text, utf8);
}

/** Writes the name of a mailbox. @param utf8 whether the client has enabled UTF-8 instead of modified UTF-7 */
export function formatMailbox(name: string, utf8: boolean): string {
  return formatAstring(utf8 ? name : encodeMailboxName(name), utf8);
}
