/** Charsets of search texts (RFC 9051, section 6.4.4). */
import { utf8Of } from './octets.ts';

const UTF8 = new Set(['US-ASCII', 'ASCII', 'UTF-8', 'UTF8']);

/**
 * @param charset null if the command names no charset. Then, and for US-ASCII, texts are read as UTF-8, because clients send whatever the user typed.
 * @returns a decoder for octets, one per character, or null for an unknown charset, to which the response is BADCHARSET
 */
export function charsetDecoder(charset: string | null): ((octets: string) => string | null) | null {
  if (charset === null || UTF8.has(charset.toUpperCase())) return utf8Of;
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    return (octets) => decode(decoder, octets);
  } catch {
    return null;
  }
}

function decode(decoder: InstanceType<typeof TextDecoder>, octets: string): string | null {
  try {
    return decoder.decode(Buffer.from(octets, 'latin1'));
  } catch {
    return null;
  }
}
