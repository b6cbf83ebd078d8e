const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes octets (one per character) as UTF-8. Null if they are invalid. */
export function utf8Of(octets: string): string | null {
  if (!/[\x80-\xff]/.test(octets)) return octets;
  try {
    return DECODER.decode(Buffer.from(octets, 'latin1'));
  } catch {
    return null;
  }
}
