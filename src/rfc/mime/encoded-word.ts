import { decodeCharset, decodeQuotedPrintable } from './decode.ts';

const MAX_TEXT = 16_384;
const ENCODED_WORD = /=\?([^?\s*]{1,60})(?:\*[^?\s]{0,60})?\?([bq])\?([^?\s]{0,1000})\?=/gi;
/** Space between two encoded words does not count (section 6.2). */
const BETWEEN_WORDS = /\?=[ \t]{1,80}(?==\?[^?\s]{1,120}\?[bq]\?[^?\s]{0,1000}\?=)/gi;

/** A field's text with its encoded words decoded (RFC 2047). Other text stays as it is. Never throws. */
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
