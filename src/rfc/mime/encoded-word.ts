/** Encoded words: non-ASCII text in a header field (RFC 2047). */
import { decodeCharset } from './charset.ts';
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
const ENCODED_WORD = /=\?([^?\s*]{1,60})(?:\*[^?\s]{0,60})?\?([bq])\?([^?\s]{0,1000})\?=/gi;
/** The space between two encoded words, which is ignored (RFC 2047, section 6.2). */
const BETWEEN_WORDS = /\?=[ \t]{1,80}(?==\?[^?\s]{1,120}\?[bq]\?[^?\s]{0,1000}\?=)/gi;

/** Decodes the encoded words in the text of a field (RFC 2047), and leaves other text unchanged. Never throws. */
export function decodeEncodedWords(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .replace(BETWEEN_WORDS, '?=')
    .replace(ENCODED_WORD, (_, charset: string, encoding: string, content: string) => {
      const octets =
        encoding.toLowerCase() === 'b'
          ? Buffer.from(content, 'base64')
          : decodeQuotedPrintable(Buffer.from(content.replaceAll('_', ' '), 'utf8'));
      return decodeCharset(octets, charset);
    });
}
