/** Fields with other content than mailboxes: Subject, and the fields that callers add. */
import { trimBlanks } from '../trim-blanks.ts';
import { FieldWriter, LINE_LENGTH } from './field-writer.ts';

/** RFC 5322, section 3.6.8, with a bound that lets each field begin on its line. */
const FIELD_NAME = /^[!-9;-~]{1,76}$/;
/** What stands on one line with a field name in front stays below 998. */
const MAX_TOKEN = 900;
/** No writer means more space than this; as it is never folded, it must be bounded. */
const MAX_GAP = 32;

const SHORT_TEXT = /^[!-~][ -~]*$/;
const NOT_PRINTABLE_ASCII = /[^!-~]/;
const NOT_ASCII = /[^\0-\x7f]+/g;
const LINE_BREAKS = /[\r\n\0]+/g;
const GAPS = /([ \t]+)/;

/** Their syntax is made of message identifiers, URLs and addresses, which encoded words would spoil. */
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
/** Made of URLs in angle brackets, in which whitespace does not count (RFC 2369, section 2). */
const URLS = new Set([
  'list-archive',
  'list-help',
  'list-owner',
  'list-post',
  'list-subscribe',
  'list-unsubscribe',
]);

/**
 * A field from outside. Line breaks and NUL become a space, whatever was checked before. Of a structured field, only
 * words beyond ASCII are encoded; in a list of URLs they are percent-encoded instead (RFC 3987, section 3.1).
 *
 * @throws TypeError when the name is not one of 1 to 76 printable ASCII characters without a colon
 */
export function otherField(name: string, value: string): string {
  if (!FIELD_NAME.test(name)) throw new TypeError('not a field name');
  const key = name.toLowerCase();
  if (URLS.has(key))
    return structuredField(name, value.toWellFormed().replace(NOT_ASCII, encodeURIComponent));
  return STRUCTURED.has(key) ? structuredField(name, value) : unstructuredField(name, value);
}

/**
 * Free text: as it is where it is ASCII that can be folded, else with encoded words from the first word that needs
 * them to the last one. White space inside is kept, around it dropped.
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
    // Readers drop the space between two encoded words, so neighbours are encoded as one text.
    const start = at;
    while (at + 2 < parts.length && NOT_PRINTABLE_ASCII.test(parts[at + 2] as string)) at += 2;
    writer.addEncoded(parts.slice(start, at + 1).join(''), before);
  }
  return writer.finish();
}

/** Cuts a token that no line could hold. The token is lost, but a line beyond 998 would cost the whole mail. */
function addInPieces(writer: FieldWriter, token: string, gap: string): void {
  writer.add(token.slice(0, MAX_TOKEN), gap);
  for (let at = MAX_TOKEN; at < token.length; at += MAX_TOKEN) writer.add(token.slice(at, at + MAX_TOKEN));
}

function needsEncoding(token: string): boolean {
  return NOT_PRINTABLE_ASCII.test(token) || token.length > MAX_TOKEN || token.includes('=?');
}

/** Tokens at even places, the space between them at odd ones; nothing for a text without content. */
function tokensAndGaps(value: string): string[] {
  const text = trimBlanks(value.replace(LINE_BREAKS, ' '));
  return text === '' ? [] : text.split(GAPS);
}
