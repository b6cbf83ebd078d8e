/**
 * Where people go after they have signed in: the page of the dashboard that they came from, and no other place. Attack: a link to the
 * page for signing in leads on to a page of somebody else.
 */
export function returnAddress(asked: string): string {
  const start = '/dashboard';
  if (!asked.startsWith('/') || !URL.canParse(asked, location.origin)) return start;
  const { origin, pathname, search } = new URL(asked, location.origin);
  if (origin !== location.origin || !/^\/dashboard(?:\/|$)/.test(pathname)) return start;
  return pathname + search;
}
