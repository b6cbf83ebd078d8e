const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Octets, one in each character, as UTF-8; null where they are none. */
export function utf8Of(octets: string): string | null {
  if (!/[\x80-\xff]/.test(octets)) return octets;
  try {
    return DECODER.decode(Buffer.from(octets, 'latin1'));
  } catch {
    return null;
  }
}
