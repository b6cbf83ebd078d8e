/** Texts of responses (RFC 9051, section 9: astring, string, nstring, mailbox). As strings of UTF-8, whose octets a literal counts. */
import { encodeMailboxName } from './modified-utf7.ts';

const ATOM = /^[!#$&'+,\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]+$/;
/** Neither a NUL nor an end of a line, and no octet above 127. */
const QUOTABLE = /^[\x01-\x09\x0b\x0c\x0e-\x7f]*$/;
const QUOTABLE_UTF8 = /^[^\0\r\n]*$/;
/** A client may have a limit for a line, and reads a long text more easily as a literal. */
const MAX_QUOTED = 4_096;

/**
 * `string`: quoted where that is possible, else a literal.
 * @param text without NUL
 * @param utf8 the client has said that it understands UTF-8 in quotes (RFC 6855, section 3)
 */
export function formatString(text: string, utf8: boolean): string {
  const isQuotable = text.length <= MAX_QUOTED && (utf8 ? QUOTABLE_UTF8 : QUOTABLE).test(text);
  return isQuotable ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : `{${Buffer.byteLength(text)}}\r\n${text}`;
}

/** `nstring`. */
export function formatNstring(text: string | null, utf8: boolean): string {
  return text === null ? 'NIL' : formatString(text, utf8);
}

/** `astring`: an atom where that is possible. NIL would be read as nothing by many clients. */
export function formatAstring(text: string, utf8: boolean): string {
  return ATOM.test(text) && text.toUpperCase() !== 'NIL' ? text : formatString(text, utf8);
}

/** The name of a mailbox. @param utf8 in UTF-8, else in modified UTF-7 */
export function formatMailbox(name: string, utf8: boolean): string {
  return formatAstring(utf8 ? name : encodeMailboxName(name), utf8);
}
