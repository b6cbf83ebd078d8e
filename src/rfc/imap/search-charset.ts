/** Charsets of the texts that are searched for (RFC 9051, section 6.4.4). */
import { utf8Of } from './octets.ts';

const UTF8 = new Set(['US-ASCII', 'ASCII', 'UTF-8', 'UTF8']);

/**
 * @param charset null: none was given. Octets are then UTF-8, and so they are in US-ASCII: clients search for what was typed
 * @returns how octets, one in each character, become text; null: no such charset, which is answered with BADCHARSET
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
