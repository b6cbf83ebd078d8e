/** Proxies take no longer addresses of pages, and each sign of it may become five. */
const MAX_MAILTO = 2_000;

/**
 * The page on which a mailbox writes to whom a link names, with what it suggests (RFC 6068). Of a longer one the recipients are left.
 * @param mailto as a URL is written @returns null: these are too many
 */
export function composeLink(address: string, mailto: string): string | null {
  const kept = mailto.length > MAX_MAILTO ? (mailto.split('?', 1)[0] as string) : mailto;
  if (kept.length > MAX_MAILTO) return null;
  return `/mail/${encodeURIComponent(address)}/compose?to=${encodeURIComponent(kept)}`;
}
