/** Encoded words: non-ASCII text in a header field (RFC 2047). */
import { decodeCharset, decodeStrictly } from './charset.ts';
import { charsetName } from './charset-labels.ts';
import { decodeQuotedPrintable } from './quoted-printable.ts';

/** The maximum length of an encoded word (RFC 2047, section 2). */
const MAX_WORD = 75;
const Q_OPENING = '=?UTF-8?Q?';
const B_OPENING = '=?UTF-8?B?';
const CLOSING = '?=';
const OVERHEAD = Q_OPENING.length + CLOSING.length;
/** The shortest encoded word into which any single character fits, in the encodings Q and B. */
export const MIN_WORD = OVERHEAD + 14;

const SPACE = 0x20;

/** The Q encoding of each octet. Only characters that are allowed in a phrase are written literally (RFC 2047, section 5, rule 3). */
const Q_OF = Array.from({ length: 256 }, (_, octet) => {
  const character = String.fromCharCode(octet);
  if (/[A-Za-z0-9!*+\-/]/.test(character)) return character;
  return octet === SPACE ? '_' : `=${octet.toString(16).toUpperCase().padStart(2, '0')}`;
});

/**
 * Encodes a text as B words or as Q words, whichever is shorter. A word has at most 75 characters and never ends inside a character. The
 * spaces of the text are inside the words, because mail clients drop the space between two words.
 *
 * @param firstMax the maximum length of the first word, at least `MIN_WORD`
 */
export function encodeWords(text: string, firstMax: number): string[] {
  const bytes = Buffer.from(text);
  const isQShorter = qLength(bytes, 0, bytes.length) <= base64Length(bytes.length);
  const words: string[] = [];
  let left = Math.min(firstMax, MAX_WORD) - OVERHEAD;
  let start = 0;
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const end = characterEnd(bytes, at);
    length = isQShorter ? length + qLength(bytes, at, end) : base64Length(end - start);
    if (length > left) {
      words.push(word(bytes, start, at, isQShorter));
      left = MAX_WORD - OVERHEAD;
      start = at;
      length = isQShorter ? qLength(bytes, at, end) : 0;
    }
    at = end;
  }
  words.push(word(bytes, start, bytes.length, isQShorter));
  return words;
}

function word(bytes: Buffer, start: number, end: number, isQ: boolean): string {
  if (!isQ) return B_OPENING + bytes.toString('base64', start, end) + CLOSING;
  let text = Q_OPENING;
  for (let at = start; at < end; at++) text += Q_OF[bytes[at] as number] as string;
  return text + CLOSING;
}

function qLength(bytes: Buffer, start: number, end: number): number {
  let length = 0;
  for (let at = start; at < end; at++) length += (Q_OF[bytes[at] as number] as string).length;
  return length;
}

function base64Length(octets: number): number {
  return Math.ceil(octets / 3) * 4;
}

function characterEnd(bytes: Buffer, at: number): number {
  let end = at + 1;
  while (end < bytes.length && ((bytes[end] as number) & 0xc0) === 0x80) end++;
  return end;
}

const MAX_TEXT = 16_384;
/**
 * An encoded word. RFC 2047 forbids spaces and question marks in the text, but mail programs write both. The text ends before the next word.
 * A sole `=` at the end is the first part of an escape that continues in the next word.
 */
const ENCODED_WORD =
  /=\?[ \t]{0,4}([^?\s*]{1,60})(?:\*[^?\s]{0,60})?[ \t]{0,4}\?([bq])\?((?:[^?=]|=(?!\?[^=])|\?(?!=))*)\?=/gi;
/** The space between two encoded words, which is ignored (RFC 2047, section 6.2). */
const BETWEEN_WORDS = /^[ \t\r\n]*$/;

interface EncodedWord {
  charset: string;
  isBase64: boolean;
  content: string;
}

type Decode = (octets: Buffer, charset: string) => string | null;

/** Decodes the encoded words in the text of a field (RFC 2047), and leaves other text unchanged. Never throws. */
export function decodeEncodedWords(text: string): string {
  return decodeWords(text, decodeCharset) ?? '';
}

/**
 * Like `decodeEncodedWords`, for text that is sent on, so that nothing is guessed or replaced.
 * @returns null if the charset of a word is unknown, or if an octet is invalid in it
 */
export function decodeEncodedWordsStrictly(text: string): string | null {
  return decodeWords(text, decodeStrictly);
}

/** @returns null if `decode` returned null */
function decodeWords(text: string, decode: Decode): string | null {
  const cut = text.slice(0, MAX_TEXT);
  if (!cut.includes('=?')) return cut;
  let decoded = '';
  let at = 0;
  let run: EncodedWord[] = [];
  for (const match of cut.matchAll(ENCODED_WORD)) {
    const [written, charset = '', encoding = '', content = ''] = match;
    const word = { charset, isBase64: encoding.toLowerCase() === 'b', content };
    const before = cut.slice(at, match.index);
    const [first] = run;
    const isAdjacent = first !== undefined && BETWEEN_WORDS.test(before);
    if (!isAdjacent || !mayJoin(first, word)) {
      const ended = decodeRun(run, decode);
      if (ended === null) return null;
      decoded += ended + (isAdjacent ? '' : before);
      run = [];
    }
    run.push(word);
    at = match.index + written.length;
  }
  const ended = decodeRun(run, decode);
  return ended === null ? null : decoded + ended + cut.slice(at);
}

/**
 * Whether a character may be cut between two words. RFC 2047, section 5 forbids it, but many mail programs in Asia cut a text after a number
 * of octets. Each word of UTF-7 starts anew, because the end of a word also ends its base64.
 */
function mayJoin(first: EncodedWord, next: EncodedWord): boolean {
  const name = charsetName(first.charset);
  if (name === 'utf-7') return false;
  return (
    name === charsetName(next.charset) &&
    (name !== null || first.charset.toLowerCase() === next.charset.toLowerCase())
  );
}

/** Decodes adjacent words of one charset together. */
function decodeRun(words: readonly EncodedWord[], decode: Decode): string | null {
  const [first] = words;
  if (first === undefined) return '';
  const separately = decode(octetsOf(words), first.charset);
  if (!isDamaged(separately) && !words.some(cutsGroup)) return separately;
  // Base64 may be cut inside a group of four letters. Base64 without padding looks alike, so the groups are not always joined.
  const together = decode(octetsOf(joinGroups(words)), first.charset);
  return isDamaged(together) ? separately : together;
}

function isDamaged(text: string | null): boolean {
  return text === null || text.includes('\ufffd');
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Whether the last group of a base64 word has bits that belong to an octet in the next word. */
function cutsGroup({ isBase64, content }: EncodedWord): boolean {
  const letters = lettersOf(content);
  const left = letters.length % 4;
  if (!isBase64 || left === 0) return false;
  const unused = left === 1 ? 0x3f : left === 2 ? 0x0f : 0x03;
  return left === 1 || (LETTERS.indexOf(letters.at(-1) as string) & unused) !== 0;
}

function lettersOf(content: string): string {
  return content.replace(/[^A-Za-z0-9+/=]/g, '');
}

/** The octets of words. Texts in Q are joined first, because an escape may be cut. */
function octetsOf(words: readonly EncodedWord[]): Buffer {
  const octets: Buffer[] = [];
  let q = '';
  const endQ = (): void => {
    // Spaces are escaped, because space at the end of a line is not part of quoted-printable.
    if (q !== '') octets.push(decodeQuotedPrintable(Buffer.from(q.replace(/[_ \t]/g, '=20'), 'utf8')));
    q = '';
  };
  for (const { isBase64, content } of words) {
    if (!isBase64) q += content;
    else {
      endQ();
      octets.push(Buffer.from(content, 'base64'));
    }
  }
  endQ();
  return Buffer.concat(octets);
}

/** Joins base64 words that end inside a group of four letters with the next word. */
function joinGroups(words: readonly EncodedWord[]): EncodedWord[] {
  const joined: EncodedWord[] = [];
  let letters = 0;
  for (const word of words) {
    const last = joined.at(-1);
    const isOpen = last?.isBase64 === true && word.isBase64 && letters % 4 !== 0;
    if (!isOpen) letters = 0;
    letters += lettersOf(word.content).length;
    if (isOpen) last.content += word.content;
    else joined.push({ ...word });
  }
  return joined;
}
