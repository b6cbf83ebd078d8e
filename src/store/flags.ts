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

/** Keywords that are told in the letters of their registration. */
const REGISTERED = new Map(
  [
    '$Forwarded',
    '$MDNSent',
    '$Junk',
    '$NotJunk',
    '$Phishing',
    '$Important',
    '$SubmitPending',
    '$Submitted',
  ].map((keyword) => [keyword.toLowerCase(), keyword]),
);

/**
 * Keywords as they are kept: case does not count, so there is one form for each, and each once, in order.
 * @returns null: one is no keyword, or there are too many
 */
export function normalKeywords(keywords: readonly string[]): string[] | null {
  if (keywords.some((keyword) => keyword.length > MAX_KEYWORD_LENGTH || !KEYWORD.test(keyword))) return null;
  const normal = new Set(
    keywords.map((keyword) => REGISTERED.get(keyword.toLowerCase()) ?? keyword.toLowerCase()),
  );
  return normal.size > MAX_KEYWORDS ? null : [...normal].sort();
}
