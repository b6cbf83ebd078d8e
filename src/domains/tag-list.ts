/**
 * Parses `name=value; name=value`, the notation of DKIM and DMARC records (RFC 6376, section 3.2; RFC 9989, section 4.8). If a name occurs
 * several times, the last value counts.
 */
export function tagsOf(text: string): Map<string, string> {
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    const equals = part.indexOf('=');
    if (equals !== -1) tags.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  return tags;
}
