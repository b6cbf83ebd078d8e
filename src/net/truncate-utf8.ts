/** Truncates and sanitizes untrusted bytes and text, so that PostgreSQL can store them as `text`. */

/** The length of the longest UTF-8 character. This many bytes beyond the limit are decoded, so that no character is split. */
const SPARE_BYTES = 4;

/**
 * Decodes the beginning of the bytes to a text of at most `maxBytes` in UTF-8. Invalid UTF-8 and NUL, which PostgreSQL does not
 * accept, become U+FFFD, which takes three bytes, so that the text may be cut even if `bytes` is not longer than `maxBytes`.
 */
export function decodeTruncated(bytes: Buffer, maxBytes: number): { text: string; isTruncated: boolean } {
  const decoded = bytes.toString('utf8', 0, maxBytes + SPARE_BYTES).replaceAll('\u0000', '\ufffd');
  const text = truncateUtf8(decoded, maxBytes);
  return { text, isTruncated: text.length < decoded.length };
}

/** The longest prefix of the text with at most `maxBytes` in UTF-8. */
export function truncateUtf8(text: string, maxBytes: number): string {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
