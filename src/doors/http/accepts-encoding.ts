/** Whether a client accepts a content coding, according to its `Accept-Encoding` (RFC 9110, section 12.5.3). */
export function acceptsEncoding(header: string | undefined, encoding: string): boolean {
  for (const each of (header ?? '').split(',')) {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    if (name !== encoding) continue;
    return !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  }
  return false;
}
