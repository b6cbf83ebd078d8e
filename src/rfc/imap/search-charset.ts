/** Charsets of search texts (RFC 9051, section 6.4.4). */
import { strictDecoder } from '../mime/index.ts';
import { utf8Of } from './octets.ts';

const UTF8 = new Set(['US-ASCII', 'ASCII', 'UTF-8', 'UTF8']);

/**
 * A text without a charset or in US-ASCII is read as UTF-8, because some clients send what the user typed as UTF-8 without saying so.
 * @param charset the charset in the command; null if the command names none
 * @returns a decoder for octets, one per character; null if the charset is unknown and the response must be BADCHARSET
 */
export function charsetDecoder(charset: string | null): ((octets: string) => string | null) | null {
  if (charset === null || UTF8.has(charset.toUpperCase())) return utf8Of;
  const decode = strictDecoder(charset);
  return decode === null ? null : (octets) => decode(Buffer.from(octets, 'latin1'));
}
