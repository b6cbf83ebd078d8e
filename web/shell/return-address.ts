/**
 * The page to open after signing in: the page that the user came from, if that page belongs to the application. Attack:
 * a link to the sign-in page that redirects to another site.
 * @param requestedPath a path with its query, from the URL of the page
 * @param start the page to open if `requestedPath` is not allowed
 * @param isOwn whether this sign-in gives access to a path
 */
export function returnAddress(
  requestedPath: string,
  start: string,
  isOwn: (path: string) => boolean,
): string {
  if (!requestedPath.startsWith('/') || !URL.canParse(requestedPath, location.origin)) return start;
  const { origin, pathname, search } = new URL(requestedPath, location.origin);
  return origin === location.origin && isOwn(pathname) ? pathname + search : start;
}
