/**
 * The page that a user is led to after signing in: the one that they came from, if it is a page of the application. Attack: a link to the
 * page for signing in leads on to a page of somebody else.
 * @param asked a path with its query, from the address of the page
 * @param start the page otherwise
 * @param isOwn whether a path is a page that this sign-in opens
 */
export function returnAddress(asked: string, start: string, isOwn: (path: string) => boolean): string {
  if (!asked.startsWith('/') || !URL.canParse(asked, location.origin)) return start;
  const { origin, pathname, search } = new URL(asked, location.origin);
  return origin === location.origin && isOwn(pathname) ? pathname + search : start;
}
