/** The latest searches in a mailbox, on this device only. They are deleted when the user signs out of the mailbox. */

const MAX_RECENT = 20;
const MAX_LENGTH = 200;

/** The key contains the id of the mailbox, so `forgetDevice` deletes the searches. */
const keyOf = (mailbox: string) => `posthorn-searches-${mailbox}`;

export function recentSearches(mailbox: string): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(mailbox)) ?? '[]');
    return Array.isArray(stored)
      ? stored.filter((each) => typeof each === 'string').slice(0, MAX_RECENT)
      : [];
  } catch {
    return [];
  }
}

export function rememberSearch(mailbox: string, q: string): void {
  const text = q.trim();
  if (text.length < 2 || text.length > MAX_LENGTH) return;
  store(mailbox, [text, ...recentSearches(mailbox).filter((each) => each !== text)].slice(0, MAX_RECENT));
}

/** @param q the search to forget; undefined for all searches */
export function forgetSearches(mailbox: string, q?: string): void {
  store(mailbox, q === undefined ? [] : recentSearches(mailbox).filter((each) => each !== q));
}

function store(mailbox: string, searches: readonly string[]): void {
  if (searches.length === 0) localStorage.removeItem(keyOf(mailbox));
  else localStorage.setItem(keyOf(mailbox), JSON.stringify(searches));
}
