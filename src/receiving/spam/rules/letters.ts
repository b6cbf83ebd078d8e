/** Detects tricks with letters in names, subjects and words. */

/** Invisible characters, and characters that reverse the text direction. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/u;
const INVISIBLE_IN_WORD = /\p{L}[\u00ad\u200b\u200c\u2060\ufeff]\p{L}/gu;
const WORD = /[\p{L}\p{M}]{3,40}/gu;
const LATIN = /\p{Script=Latin}/u;
/** Scripts with letters that look like Latin letters. */
const LOOK_ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u;
const MAX_WORDS = 2_000;

export function hasInvisible(text: string): boolean {
  return INVISIBLE.test(text);
}

/** The number of words that are split by invisible characters. */
export function cutWords(text: string): number {
  return text.match(INVISIBLE_IN_WORD)?.length ?? 0;
}

/** Whether a word mixes Latin letters with letters of a similar script. */
export function mixesScripts(text: string): boolean {
  let words = 0;
  for (const [word] of text.matchAll(WORD)) {
    if (LATIN.test(word) && LOOK_ALIKE.test(word)) return true;
    if (++words === MAX_WORDS) return false;
  }
  return false;
}
