/** The maximum length of a `mailto:` link in a URL. Proxies limit the length of URLs, and encoding may turn one character into five. */
const MAX_MAILTO = 2_000;

/**
 * The compose page of a mailbox for a `mailto:` link, with the recipients and contents that the link suggests (RFC 6068). If the link is
 * too long, only its recipients are used.
 * @param mailto a serialized URL @returns null if the recipients alone are too long
 */
export function composeLink(address: string, mailto: string): string | null {
  const shortened = mailto.length > MAX_MAILTO ? (mailto.split('?', 1)[0] as string) : mailto;
  if (shortened.length > MAX_MAILTO) return null;
  return `/mail/${encodeURIComponent(address)}/compose?to=${encodeURIComponent(shortened)}`;
}
