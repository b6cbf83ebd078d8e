/** Texts in responses (RFC 9051, section 9: astring, string, nstring, mailbox). A literal counts the octets of the text in UTF-8. */
import { encodeMailboxName } from './modified-utf7.ts';

const ATOM = /^[!#$&'+,\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]+$/;
/** Matches a text that has no NUL, CR, LF or octet above 127. */
const QUOTABLE = /^[\x01-\x09\x0b\x0c\x0e-\x7f]*$/;
const QUOTABLE_UTF8 = /^[^\0\r\n]*$/;
/** Longer texts are sent as literals, because clients may limit the length of a line. */
const MAX_QUOTED = 4_096;

/**
 * `string`: quoted if possible, otherwise a literal.
 * @param text without NUL
 * @param utf8 whether the client has enabled UTF-8 in quoted strings (RFC 6855, section 3)
 */
export function formatString(text: string, utf8: boolean): string {
  const isQuotable = text.length <= MAX_QUOTED && (utf8 ? QUOTABLE_UTF8 : QUOTABLE).test(text);
  return isQuotable ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : `{${Buffer.byteLength(text)}}\r\n${text}`;
}

/** `nstring`. */
export function formatNstring(text: string | null, utf8: boolean): string {
  return text === null ? 'NIL' : formatString(text, utf8);
}

/** `astring`: an atom if possible. The text NIL is quoted, because many clients would read the atom as null. */
export function formatAstring(text: string, utf8: boolean): string {
  return ATOM.test(text) && text.toUpperCase() !== 'NIL' ? text : formatString(text, utf8);
}

/** The name of a mailbox. @param utf8 whether to write it in UTF-8 instead of modified UTF-7 */
export function formatMailbox(name: string, utf8: boolean): string {
  return formatAstring(utf8 ? name : encodeMailboxName(name), utf8);
}
