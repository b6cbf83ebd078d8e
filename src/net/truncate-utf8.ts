/** Cuts and cleans bytes and text of others, so that a PostgreSQL `text` can hold them. */

/** The longest character of UTF-8. So many bytes more are decoded, so that no character is cut in two. */
const SPARE_BYTES = 4;

/**
 * The start of some bytes as text of at most `maxBytes` in UTF-8. What is not UTF-8, and NUL, which PostgreSQL does not
 * take, become U+FFFD.
 */
export function decodeTruncated(bytes: Buffer, maxBytes: number): string {
  const text = bytes.toString('utf8', 0, maxBytes + SPARE_BYTES);
  return truncateUtf8(text.replaceAll('\u0000', '\ufffd'), maxBytes);
}

/** The longest start of a text that takes no more than `maxBytes` in UTF-8. */
export function truncateUtf8(text: string, maxBytes: number): string {
  // No UTF-16 unit takes more than three bytes.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
