/**
 * The keys by which emails are found. A term matches a text that contains the term at the beginning of a word, ignoring case and accents
 * (`normalForm`): `smith` and `smith@mail` both find `anna.smith@mail.example`.
 *
 * A text has one key for each word: the part of the text from the beginning of the word to the next blank. So if a term without blanks
 * matches a text, the text has a key that begins with the term. If the term has blanks, this is so for each part between blanks.
 */
import { normalForm } from '../../store/search/normal-form.ts';

/** Scripts without blanks between words. In these scripts, a word may begin at each character. */
const UNSPACED = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]`;
const SPACED = String.raw`[[\p{L}\p{N}\p{M}_]--${UNSPACED}]`;
const BEGINNINGS = new RegExp(`(?<!${SPACED})${SPACED}|[[\\p{L}\\p{N}]&&${UNSPACED}]`, 'gv');
const BEGINS_IN_WORD = new RegExp(`^${SPACED}`, 'v');
const ENDS_IN_WORD = new RegExp(`${SPACED}$`, 'v');
const UNSPACED_FIRST = new RegExp(`^${UNSPACED}`, 'v');
const NO_WORD_AT_END = /[^\p{L}\p{N}\p{M}_]+$/v;

/** The maximum length of a key in UTF-16 units. A longer word is found by its beginning. */
const MAX_KEY = 48;
/** The maximum length of a key in a script without blanks. It is shorter than `MAX_KEY`, because a key begins at every character. */
const MAX_UNSPACED_KEY = 4;

/** Calls `visit` with each key of a text in normal form. Some keys are visited more than once. */
export function eachKey(text: string, visit: (key: string) => void): void {
  for (const piece of text.split(' ')) {
    const end = piece.replace(NO_WORD_AT_END, '');
    for (const { index } of end.matchAll(BEGINNINGS)) visit(keyAt(end, index));
  }
}

function keyAt(piece: string, index: number): string {
  const rest = piece.slice(index, index + MAX_KEY);
  const key = UNSPACED_FIRST.test(rest) ? rest.slice(0, MAX_UNSPACED_KEY) : rest;
  // If the cut has split a surrogate pair, drop its first half.
  const last = key.charCodeAt(key.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? key.slice(0, -1) : key;
}

export interface Needle {
  /** The term in normal form. */
  text: string;
  /** The prefixes that a matching text must have: each prefix is the beginning of one of the keys of the text. */
  keys: string[];
}

/** @returns null for a term without any letter or digit */
export function needleOf(term: string): Needle | null {
  const text = normalForm(term).trim();
  const keys = text.split(' ').flatMap((piece) => {
    const end = piece.replace(NO_WORD_AT_END, '');
    const [first] = end.matchAll(BEGINNINGS);
    return first === undefined ? [] : [keyAt(end, first.index)];
  });
  return keys.length === 0 ? null : { text, keys };
}

/** Whether a text in normal form contains the needle at the beginning of a word. */
export function hasNeedle(text: string, { text: needle }: Needle): boolean {
  const mayFollowWord = !BEGINS_IN_WORD.test(needle);
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1))
    if (mayFollowWord || !ENDS_IN_WORD.test(text.slice(Math.max(0, at - 2), at))) return true;
  return false;
}
