/** Writes fields that do not list mailboxes: Subject, and the fields that callers add. */
import { trimBlanks } from '../trim-blanks.ts';
import { FieldWriter, LINE_LENGTH } from './field-writer.ts';

/** A field name (RFC 5322, section 3.6.8). The length is bounded so that the value can begin on the first line. */
const FIELD_NAME = /^[!-9;-~]{1,76}$/;
/** The maximum length of a token, so that a line with the field name and one token stays below 998 octets. */
const MAX_TOKEN = 900;
/** The maximum length of the white space between two tokens. It cannot be folded, so longer white space is shortened. */
const MAX_GAP = 32;

const SHORT_TEXT = /^[!-~][ -~]*$/;
const NOT_PRINTABLE_ASCII = /[^!-~]/;
const NOT_ASCII = /[^\0-\x7f]+/g;
const LINE_BREAKS = /[\r\n\0]+/g;
const GAPS = /([ \t]+)/;

/** Fields that consist of message identifiers, URLs and addresses, which encoded words would break. */
const STRUCTURED = new Set([
  'archived-at',
  'autocrypt',
  'auto-submitted',
  'disposition-notification-to',
  'errors-to',
  'in-reply-to',
  'list-id',
  'list-unsubscribe-post',
  'message-id',
  'original-message-id',
  'precedence',
  'references',
  'return-receipt-to',
  'supersedes',
]);
/** Fields that consist of URLs in angle brackets, in which white space is ignored (RFC 2369, section 2). */
const URLS = new Set([
  'list-archive',
  'list-help',
  'list-owner',
  'list-post',
  'list-subscribe',
  'list-unsubscribe',
]);

/**
 * Writes a field that the caller supplied. Line breaks and NUL always become spaces, in case the caller has not removed them. In a
 * structured field, only non-ASCII words are encoded; in a list of URLs, such words are percent-encoded (RFC 3987, section 3.1).
 *
 * @throws TypeError if the name is not 1 to 76 printable ASCII characters without a colon
 */
export function otherField(name: string, value: string): string {
  if (!FIELD_NAME.test(name)) throw new TypeError('not a field name');
  const key = name.toLowerCase();
  if (URLS.has(key))
    return structuredField(name, value.toWellFormed().replace(NOT_ASCII, encodeURIComponent));
  return STRUCTURED.has(key) ? structuredField(name, value) : unstructuredField(name, value);
}

/**
 * Writes a field of free text. ASCII that can be folded is written unchanged. Otherwise, encoded words cover the text from the first to the
 * last word that needs encoding. White space inside the text is preserved, white space at its ends is dropped.
 */
export function unstructuredField(name: string, value: string): string {
  if (
    name.length + 2 + value.length <= LINE_LENGTH &&
    SHORT_TEXT.test(value) &&
    !value.endsWith(' ') &&
    !value.includes('=?')
  ) {
    return `${name}: ${value}\r\n`;
  }
  const parts = tokensAndGaps(value);
  let first = parts.length;
  let last = -1;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as string;
    if (at % 2 === 0 ? !needsEncoding(part) : part.length <= MAX_GAP) continue;
    const isGap = at % 2;
    first = Math.min(first, at - isGap);
    last = at + isGap;
  }
  const writer = new FieldWriter(name);
  for (let at = 0; at < parts.length; at += 2) {
    const gap = at === 0 ? ' ' : (parts[at - 1] as string);
    if (at === first) writer.addEncoded(parts.slice(first, last + 1).join(''), gap);
    else if (at < first || at > last) writer.add(parts[at] as string, gap);
  }
  return writer.finish();
}

function structuredField(name: string, value: string): string {
  const parts = tokensAndGaps(value);
  const writer = new FieldWriter(name);
  for (let at = 0; at < parts.length; at += 2) {
    const gap = at === 0 ? ' ' : (parts[at - 1] as string);
    const before = gap.length > MAX_GAP ? ' ' : gap;
    if (!NOT_PRINTABLE_ASCII.test(parts[at] as string)) {
      addInPieces(writer, parts[at] as string, before);
      continue;
    }
    // Mail clients drop the space between two encoded words, so adjacent words are encoded as one text.
    const start = at;
    while (at + 2 < parts.length && NOT_PRINTABLE_ASCII.test(parts[at + 2] as string)) at += 2;
    writer.addEncoded(parts.slice(start, at + 1).join(''), before);
  }
  return writer.finish();
}

/** Splits a token that is too long for a line. This damages the token, but with a line over 998 octets, the whole message could be lost. */
function addInPieces(writer: FieldWriter, token: string, gap: string): void {
  writer.add(token.slice(0, MAX_TOKEN), gap);
  for (let at = MAX_TOKEN; at < token.length; at += MAX_TOKEN) writer.add(token.slice(at, at + MAX_TOKEN));
}

function needsEncoding(token: string): boolean {
  return NOT_PRINTABLE_ASCII.test(token) || token.length > MAX_TOKEN || token.includes('=?');
}

/** Splits a text into tokens, at even indexes, and gaps between tokens, at odd indexes. Empty for blank text. */
function tokensAndGaps(value: string): string[] {
  const text = trimBlanks(value.replace(LINE_BREAKS, ' '));
  return text === '' ? [] : text.split(GAPS);
}
