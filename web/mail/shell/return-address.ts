/**
 * Where people go after they have signed in: the page of the web client that they came from, if it is of the mailbox that they signed in to,
 * and no other place. Attack: a link to the page for signing in leads on to a page of somebody else.
 */
export function returnAddress(asked: string, address: string): string {
  const start = `/mail/${encodeURIComponent(address)}/inbox`;
  if (!asked.startsWith('/') || !URL.canParse(asked, location.origin)) return start;
  const { origin, pathname, search } = new URL(asked, location.origin);
  const [, mail, first = ''] = pathname.split('/');
  if (origin !== location.origin || mail !== 'mail' || decoded(first).toLowerCase() !== address) return start;
  return pathname + search;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
