/** Encoded words: text beyond ASCII in a header field (RFC 2047). */

/** RFC 2047, section 2. */
const MAX_WORD = 75;
const Q_OPENING = '=?UTF-8?Q?';
const B_OPENING = '=?UTF-8?B?';
const CLOSING = '?=';
const OVERHEAD = Q_OPENING.length + CLOSING.length;
/** With less than this on a line, the first word takes the next one. It holds any one character in either encoding. */
export const MIN_WORD_ROOM = OVERHEAD + 14;

const SPACE = 0x20;

/** How the Q encoding writes each octet. Only what may stand in a phrase is left as it is (section 5, rule 3). */
const Q_OF: string[] = [];
for (let octet = 0; octet < 256; octet++) {
  const character = String.fromCharCode(octet);
  Q_OF.push(/[A-Za-z0-9!*+\-/]/.test(character) ? character : `=${hex(octet)}`);
}
Q_OF[SPACE] = '_';

function hex(octet: number): string {
  return octet.toString(16).toUpperCase().padStart(2, '0');
}

/**
 * The words that stand for a text, B or Q encoded, whichever is shorter. None is longer than 75 characters or cuts a
 * character in two. Spaces that the text has are in the words: what stands between two words does not count.
 *
 * @param firstRoom characters that the line has left for the first word
 */
export function encodeWords(text: string, firstRoom: number): string[] {
  const bytes = Buffer.from(text);
  let qLength = 0;
  for (const byte of bytes) qLength += (Q_OF[byte] as string).length;
  const useQ = qLength <= Math.ceil(bytes.length / 3) * 4;

  const words: string[] = [];
  let room = (firstRoom < MIN_WORD_ROOM ? MAX_WORD : Math.min(firstRoom, MAX_WORD)) - OVERHEAD;
  let start = 0;
  let length = 0;
  let q = '';
  for (let at = 0; at < bytes.length; ) {
    const end = characterEnd(bytes, at);
    let next = '';
    for (let octet = at; useQ && octet < end; octet++) next += Q_OF[bytes[octet] as number] as string;
    const grown = useQ ? length + next.length : Math.ceil((end - start) / 3) * 4;
    if (grown > room) {
      words.push(useQ ? Q_OPENING + q + CLOSING : B_OPENING + bytes.base64Slice(start, at) + CLOSING);
      room = MAX_WORD - OVERHEAD;
      start = at;
      q = '';
      length = 0;
    }
    q += next;
    length += next.length;
    at = end;
  }
  words.push(useQ ? Q_OPENING + q + CLOSING : B_OPENING + bytes.base64Slice(start, bytes.length) + CLOSING);
  return words;
}

function characterEnd(bytes: Buffer, at: number): number {
  let end = at + 1;
  while (end < bytes.length && ((bytes[end] as number) & 0xc0) === 0x80) end++;
  return end;
}
