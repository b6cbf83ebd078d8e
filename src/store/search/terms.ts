/**
 * What texts in normal form are indexed by: their words, and their single characters and pairs of characters (grams).
 *
 * A needle that is a part of a word is looked for in the list of all words, which gives exactly the texts that have it. One of
 * one or two characters is a gram. Any other needle (several words, or writing without spaces between them) must have all
 * the words and pairs that it is made of; the texts that have them are looked through.
 */

/** Scripts without spaces between words are not in it: their runs would each be a word of its own, so only grams stand for them. */
const IN_WORD =
  /^[[\p{L}\p{N}\p{M}_]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]]$/v;
/** Shorter parts of words are grams. */
const MIN_PART = 3;

const YES = 1;
const NO = 2;
/** What is known of characters below U+10000: asking the expression takes fifty times as long. */
const known = new Uint8Array(0x10000);

function isInWord(code: number): boolean {
  if (code > 0xffff) return IN_WORD.test(String.fromCodePoint(code));
  const answer = known[code] || (IN_WORD.test(String.fromCharCode(code)) ? YES : NO);
  known[code] = answer;
  return answer === YES;
}

/** Calls with begin and end of each word of a text. */
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

/** A question to the index of some texts: which have a term like this? */
interface TermQuery {
  text: string;
  /** The term begins with it, or ends with it. Grams are whole terms. */
  isBegin: boolean;
  isEnd: boolean;
}

export interface NeedlePlan {
  /** All of them have to have an answer. None: any text may have the needle. */
  queries: TermQuery[];
  /** A text that has the terms has the needle. */
  isExact: boolean;
}

/** @param needle in normal form, not empty */
export function planNeedle(needle: string): NeedlePlan {
  const characters = [...needle];
  if (characters.length <= 2 && !needle.includes(' ')) return { queries: [gram(needle)], isExact: true };
  const queries: TermQuery[] = [];
  /** By index of a character: the end of the word that it is in, as far as that is looked for as a word. */
  const isCovered = new Uint8Array(needle.length);
  eachWord(needle, (start, end) => {
    const text = needle.slice(start, end);
    if ([...text].length < MIN_PART) return;
    queries.push({ text, isBegin: start > 0, isEnd: end < needle.length });
    // The last one still makes a pair with what follows.
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
