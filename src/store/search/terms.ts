/**
 * The terms by which texts in normal form are indexed: words, single characters and pairs of characters (grams).
 *
 * A needle that is a part of a word is searched for in the list of all words. The result is exactly the texts that contain the needle. A
 * needle of one or two characters is a gram. For any other needle (several words, or a script without spaces between words) the texts that
 * contain all of its words and pairs are candidates, which must be scanned.
 */

/** Excludes scripts without spaces between words, which are indexed only by grams: almost every run of such text would be a new word. */
const IN_WORD =
  /^[[\p{L}\p{N}\p{M}_]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]]$/v;
/** Shorter parts of words are searched as grams. */
const MIN_PART = 3;

const YES = 1;
const NO = 2;
/** Cached results of `IN_WORD` for characters below U+10000. The expression itself takes fifty times as long. */
const known = new Uint8Array(0x10000);

function isInWord(code: number): boolean {
  if (code > 0xffff) return IN_WORD.test(String.fromCodePoint(code));
  const answer = known[code] || (IN_WORD.test(String.fromCharCode(code)) ? YES : NO);
  known[code] = answer;
  return answer === YES;
}

/** Calls `visit` with the start and end of each word of a text. */
export function eachWord(text: string, visit: (start: number, end: number) => void): void {
  let start = -1;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) as number;
    const isInside = isInWord(code);
    if (isInside && start === -1) start = at;
    if (!isInside && start !== -1) {
      visit(start, at);
      start = -1;
    }
    at += code > 0xffff ? 2 : 1;
  }
  if (start !== -1) visit(start, text.length);
}

/** A query for the texts that have a matching term. */
interface TermQuery {
  text: string;
  /** Whether the term must begin with the text. True for grams, which are whole terms. */
  isBegin: boolean;
  /** Whether the term must end with the text. True for grams. */
  isEnd: boolean;
}

export interface NeedlePlan {
  /** All queries must match. Without queries, any text may contain the needle. */
  queries: TermQuery[];
  /** Whether every text with the terms contains the needle. */
  isExact: boolean;
}

/** @param needle in normal form, not empty */
export function planNeedle(needle: string): NeedlePlan {
  const characters = [...needle];
  if (characters.length <= 2 && !needle.includes(' ')) return { queries: [gram(needle)], isExact: true };
  const queries: TermQuery[] = [];
  /** For each character, 1 if a word query covers this character and the next. */
  const isCovered = new Uint8Array(needle.length);
  eachWord(needle, (start, end) => {
    const text = needle.slice(start, end);
    if ([...text].length < MIN_PART) return;
    queries.push({ text, isBegin: start > 0, isEnd: end < needle.length });
    // The last character still forms a pair with the next one.
    isCovered.fill(1, start, end - 1);
  });
  let at = 0;
  for (const [n, character] of characters.entries()) {
    const next = characters[n + 1] ?? ' ';
    const isInside = isCovered[at] === 1 || character === ' ';
    const isAlone = next === ' ' && (characters[n - 1] ?? ' ') === ' ';
    if (!isInside && next !== ' ') queries.push(gram(character + next));
    else if (!isInside && isAlone) queries.push(gram(character));
    at += character.length;
  }
  const isExact =
    queries.length === 1 && queries[0]?.text === needle && !queries[0].isBegin && !queries[0].isEnd;
  return { queries, isExact };
}

function gram(text: string): TermQuery {
  return { text, isBegin: true, isEnd: true };
}
