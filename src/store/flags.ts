/** Flags and keywords of messages (RFC 9051, section 2.3.2). */

/** The bits of `flags`. */
export const FLAG = { seen: 1, answered: 2, flagged: 4, deleted: 8, draft: 16 } as const;

/** Maximum number of keywords per message. */
export const MAX_KEYWORDS = 32;
export const MAX_KEYWORD_LENGTH = 64;
/** Maximum number of distinct keywords per folder, including keywords that no message has any more. Each session receives the full list. */
export const MAX_FOLDER_KEYWORDS = 100;

/** flag-keyword: an atom (RFC 9051, section 9). An atom excludes the backslash, with which system flags start. */
const KEYWORD = /^[!#$&'+,\-./0-9:;<=>?@A-Z[^_`a-z|}~]+$/;

/** Messages that the web client shows first (docs/mail-apps.md). No RFC registers a keyword for this. */
export const PINNED = '$pinned';
/** New mail in the conversation of such a message does not go to the Inbox (RFC 9979, section 4.1). */
export const MUTED = '$muted';

export function isPinned(keyword: string): boolean {
  return foldedKeyword(keyword) === PINNED;
}

/** The form in which keywords are compared, because their case is ignored. A keyword has only ASCII letters. */
export function foldedKeyword(keyword: string): string {
  return keyword.toLowerCase();
}

/** Validates keywords and removes duplicates. @returns null if a keyword is invalid, or if there are too many keywords */
export function checkedKeywords(keywords: readonly string[]): string[] | null {
  if (keywords.some((keyword) => keyword.length > MAX_KEYWORD_LENGTH || !KEYWORD.test(keyword))) return null;
  const distinct = new Map<string, string>();
  for (const keyword of keywords)
    if (!distinct.has(foldedKeyword(keyword))) distinct.set(foldedKeyword(keyword), keyword);
  return distinct.size > MAX_KEYWORDS ? null : [...distinct.values()];
}

/**
 * Spells keywords as they first appeared in the folder, sorted, so that each keyword has only one spelling per folder.
 * @param ofFolder all keywords that messages in the folder have or had
 */
export function spelledAs(ofFolder: readonly string[], keywords: readonly string[]): string[] {
  if (keywords.length === 0) return [];
  const known = new Map(ofFolder.map((keyword) => [foldedKeyword(keyword), keyword]));
  return keywords.map((keyword) => known.get(foldedKeyword(keyword)) ?? keyword).sort();
}

/**
 * Chooses the keywords that a new message can have. A keyword is left out if it is invalid, or if the message or the folder already has the
 * maximum number of keywords: losing a keyword is better than losing the message.
 * @param ofFolder all keywords that messages in the folder have or had
 * @returns the keywords of the message, all keywords of the folder afterwards, and the keywords that were left out
 */
export function fittingKeywords(
  ofFolder: readonly string[],
  keywords: readonly string[],
): { keywords: string[]; all: string[]; leftOut: string[] } {
  const all = new Map(ofFolder.map((keyword) => [foldedKeyword(keyword), keyword]));
  const own = new Map<string, string>();
  const leftOut: string[] = [];
  for (const keyword of keywords) {
    const folded = foldedKeyword(keyword);
    if (own.has(folded)) continue;
    const isFull = own.size >= MAX_KEYWORDS || (!all.has(folded) && all.size >= MAX_FOLDER_KEYWORDS);
    if (isFull || checkedKeywords([keyword]) === null) {
      leftOut.push(keyword);
      continue;
    }
    if (!all.has(folded)) all.set(folded, keyword);
    own.set(folded, all.get(folded) ?? keyword);
  }
  return { keywords: [...own.values()].sort(), all: [...all.values()], leftOut };
}

/** The keywords of a folder after its messages get more keywords. @returns null if the folder would have too many keywords */
export function keywordsWith(ofFolder: readonly string[], more: Iterable<string>): string[] | null {
  const all = [...new Set([...ofFolder, ...more])];
  return all.length > MAX_FOLDER_KEYWORDS ? null : all;
}
