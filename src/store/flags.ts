/** Flags and keywords of messages (RFC 9051, section 2.3.2). */

/** The bits of `flags`. */
export const FLAG = { seen: 1, answered: 2, flagged: 4, deleted: 8, draft: 16 } as const;

/** Of one message. */
export const MAX_KEYWORDS = 32;
const MAX_KEYWORD_LENGTH = 64;
/** Of all messages of a folder, ever: each session is told all of them. */
export const MAX_FOLDER_KEYWORDS = 100;

/** flag-keyword: an atom (RFC 9051, section 9). The list also leaves out what the backslash stands before. */
const KEYWORD = /^[!#$&'+,\-./0-9:;<=>?@A-Z[^_`a-z|}~]+$/;

/** As case does not count: all letters are of ASCII. */
function foldedKeyword(keyword: string): string {
  return keyword.toLowerCase();
}

/** Keywords that a message can have, each once. @returns null: one is no keyword, or there are too many */
export function checkedKeywords(keywords: readonly string[]): string[] | null {
  if (keywords.some((keyword) => keyword.length > MAX_KEYWORD_LENGTH || !KEYWORD.test(keyword))) return null;
  const distinct = new Map<string, string>();
  for (const keyword of keywords)
    if (!distinct.has(foldedKeyword(keyword))) distinct.set(foldedKeyword(keyword), keyword);
  return distinct.size > MAX_KEYWORDS ? null : [...distinct.values()];
}

/**
 * Keywords in the letters in which the folder has had them first, in order: within a folder there is one form of each.
 * @param ofFolder all that its messages have or had
 */
export function spelledAs(ofFolder: readonly string[], keywords: readonly string[]): string[] {
  if (keywords.length === 0) return [];
  const known = new Map(ofFolder.map((keyword) => [foldedKeyword(keyword), keyword]));
  return keywords.map((keyword) => known.get(foldedKeyword(keyword)) ?? keyword).sort();
}

/** Those that a folder has when its messages get more. @returns null: they would be too many */
export function keywordsWith(ofFolder: readonly string[], more: Iterable<string>): string[] | null {
  const all = [...new Set([...ofFolder, ...more])];
  return all.length > MAX_FOLDER_KEYWORDS ? null : all;
}
