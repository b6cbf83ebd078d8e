/**
 * The words of a segment, in rows of `email_words` of less than 2 kB, so that PostgreSQL stores the rows uncompressed. A word is a key
 * (`keys.ts`), a tab, and the mark of its field. In `words`, a line feed precedes each word. `postings` contains for each word a length
 * (LEB128) and a list of documents (`store/search/postings.ts`).
 */
import { encodePostings, readPostings } from '../../store/search/postings.ts';

export interface WordBlock {
  firstWord: string;
  words: string;
  postings: Buffer;
}

const BLOCK_OCTETS = 1_700;

/** @param words the words, each with the numbers of its documents in ascending order */
export function* blocksOf(
  words: ReadonlyMap<string, readonly number[]>,
  documents: number,
): Generator<WordBlock> {
  let texts: string[] = [];
  let postings: Buffer[] = [];
  let octets = 0;
  const finish = (): WordBlock => ({
    firstWord: texts[0] ?? '',
    words: `\n${texts.join('\n')}`,
    postings: Buffer.concat(postings),
  });
  for (const word of [...words.keys()].sort(compareWords)) {
    const list = encodePostings(words.get(word) ?? [], documents);
    const size = Buffer.byteLength(word) + list.length + 3;
    if (octets + size > BLOCK_OCTETS && texts.length > 0) {
      yield finish();
      texts = [];
      postings = [];
      octets = 0;
    }
    texts.push(word);
    postings.push(lengthOf(list), list);
    octets += size;
  }
  if (texts.length > 0) yield finish();
}

/** Compares words in the order of UTF-8, which the collation "C" uses. */
function compareWords(one: string, other: string): number {
  if (one === other) return 0;
  const end = Math.min(one.length, other.length);
  for (let at = 0; at < end; at++) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a === b) continue;
    // In UTF-8, a character beyond U+FFFF sorts last. In UTF-16 it is a pair of surrogates, so a surrogate must sort after the other units.
    return isHalf(a) === isHalf(b) ? a - b : isHalf(a) ? 1 : -1;
  }
  return one.length - other.length;
}

function isHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000;
}

function lengthOf({ length }: Buffer): Buffer {
  const octets: number[] = [];
  let rest = length;
  for (; rest >= 0x80; rest >>>= 7) octets.push((rest & 0x7f) | 0x80);
  octets.push(rest);
  return Buffer.from(octets);
}

/** Calls `visit` with each document of a block that has a word with this prefix, in a field with one of the marks. */
export function readBlock(
  { words, postings }: Omit<WordBlock, 'firstWord'>,
  documents: number,
  key: string,
  marks: string,
  visit: (document: number) => void,
): void {
  // The words are sorted, so all words with the prefix follow each other.
  const first = words.indexOf(`\n${key}`);
  if (first === -1) return;
  let at = 0;
  for (let line = 0; line !== -1; ) {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const octet = postings[at++] as number;
      length |= (octet & 0x7f) << shift;
      if (octet < 0x80) break;
    }
    const end = words.indexOf('\n', line + 1);
    if (line >= first) {
      if (!words.startsWith(key, line + 1)) return;
      if (marks.includes(words.at(end === -1 ? -1 : end - 1) ?? ' '))
        readPostings(postings.subarray(at, at + length), documents, visit);
    }
    at += length;
    line = end;
  }
}
