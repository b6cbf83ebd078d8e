import { type ListedAddress, readAddressList } from '../../rfc/address/index.ts';
import { decodeEncodedWords, type Entity, type HeaderField } from '../../rfc/mime/index.ts';
import { normalForm } from '../search/normal-form.ts';

/** The maximum number of characters in all fields together. Search does not cover the rest of a longer header. */
const MAX_TEXT = 131_072;
/**
 * The maximum number of characters decoded from each value. Further characters stay undecoded, because `decodeEncodedWords` would drop
 * them.
 */
const MAX_DECODED = 16_384;
/** Fields whose signature data is omitted: users do not search for such data, and it is the larger part of many headers. */
const SIGNATURE = /(?:signature|^arc-seal|^arc-authentication-results)$/;
const SIGNED = /\b(bh?)=[^;]*/g;

/** Fields whose addresses can also be searched in normalized form. */
const ADDRESS_FIELDS: ReadonlySet<string> = new Set(['from', 'to', 'cc', 'bcc']);
const MAX_ADDRESSES = 2_000;

/**
 * The prefix of the line in `headerText` with the normalized addresses of a field. It starts with a space, so that it differs from the
 * field name.
 */
export function listLine(field: string): string {
  return ` ${field}:`;
}

/**
 * The header fields of a message in the form used by search: each on a separate line after a line end, `\nname: value`, decoded and in
 * normal form. An address field is followed by `\n name: list` if the normalized list differs (`writtenOut`). The fields of the message's
 * parts and of messages within the message follow after `\n\n`. At most 128 Ki characters.
 */
export function headerText(message: Entity): string {
  const lines = message.fields.flatMap((field) => {
    const line = lineOf(field);
    if (!ADDRESS_FIELDS.has(field.name)) return [line];
    const list = writtenOut(field.value);
    return line === `\n${field.name}: ${list}` ? [line] : [line, `\n${listLine(field.name)} ${list}`];
  });
  lines.push('\n');
  for (const part of partsIn(message)) for (const field of part.fields) lines.push(lineOf(field));
  return lines.join('').slice(0, MAX_TEXT).toWellFormed();
}

function lineOf({ name, value }: HeaderField): string {
  const shown = SIGNATURE.test(name) ? value.replace(SIGNED, '$1=') : value;
  const decoded = decodeEncodedWords(shown.slice(0, MAX_DECODED)) + shown.slice(MAX_DECODED);
  return `\n${name}: ${normalForm(decoded).trim()}`;
}

/**
 * Normalizes an address list to Dovecot's form: `name <local@domain>, group: <a@b>, <c@d>;`, without quotes and comments. SEARCH FROM, TO,
 * CC and BCC search the envelope (RFC 3501, section 6.4.4), which has addresses only in this form.
 */
function writtenOut(value: string): string {
  let text = '';
  // The separator to write before the next address: a comma, or nothing after the beginning of a group.
  let before = '';
  for (const each of readAddressList(value, MAX_ADDRESSES)) {
    if (each.domain !== null) {
      text += before + addressOf(each);
      before = ', ';
    } else if (each.localPart !== null) {
      text += `${before}${decodeEncodedWords(each.localPart)}: `;
      before = '';
    } else {
      text += ';';
      before = ', ';
    }
    if (text.length > MAX_DECODED) break;
  }
  return normalForm(text).trim();
}

function addressOf({ name, localPart, domain }: ListedAddress): string {
  const address = domain === '' ? (localPart ?? '') : `${localPart}@${domain}`;
  const shown = decodeEncodedWords(name ?? '').trim();
  return withoutQuotes(`${shown} <${address}>`).trimStart();
}

/** Removes quotes and backslashes, which a normalized address list does not contain. */
export function withoutQuotes(text: string): string {
  return text.replaceAll(/["\\]/g, '');
}

function* partsIn(entity: Entity): Generator<Entity> {
  for (const part of entity.message === null ? entity.parts : [...entity.parts, entity.message]) {
    yield part;
    yield* partsIn(part);
  }
}
