/** UTF-7 (RFC 2152). Old versions of Exchange write bounces and other mail in it. */
const UTF_16 = new TextDecoder('utf-16be');
/** Characters that are not ASCII, or a shifted sequence: base64 of UTF-16 between `+` and an optional `-`. */
const SHIFTED = /[\x80-\xff]|\+([A-Za-z0-9+/]*)(-?)/g;

/** Octets that are not UTF-7 become U+FFFD. Never throws. */
export function decodeUtf7(octets: Uint8Array): string {
  const text = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('latin1');
  return text.replace(SHIFTED, (written: string, base64: string | undefined, end: string) => {
    if (base64 === undefined) return '\ufffd';
    // `+-` is a plus sign. A lone plus sign is not UTF-7, but is not ambiguous either.
    if (base64 === '') return end === '-' ? '+' : written;
    const units = Buffer.from(base64, 'base64');
    return units.length < 2 ? '\ufffd' : UTF_16.decode(units.subarray(0, units.length & ~1));
  });
}
