const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes octets (one per character) as UTF-8. Returns null if the octets are not valid UTF-8. */
export function utf8Of(octets: string): string | null {
  if (!/[\x80-\xff]/.test(octets)) return octets;
  try {
    return DECODER.decode(Buffer.from(octets, 'latin1'));
  } catch {
    return null;
  }
}
