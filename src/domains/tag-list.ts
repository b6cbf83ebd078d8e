/** `name=value; name=value` as DKIM and DMARC records write them (RFC 6376, section 3.2; RFC 9989, section 4.8). Of two of one name the last counts. */
export function tagsOf(text: string): Map<string, string> {
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    const equals = part.indexOf('=');
    if (equals !== -1) tags.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  return tags;
}
