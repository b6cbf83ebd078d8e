import { type ListedAddress, readAddressList } from '../../rfc/address/index.ts';
import { decodeEncodedWords, type Entity, type HeaderField } from '../../rfc/mime/index.ts';
import { normalForm } from '../search/normal-form.ts';

/** For all fields together. The rest of a longer header is not found by search. */
const MAX_TEXT = 131_072;
/** So much of a value is decoded: `decodeEncodedWords` drops what is behind it. */
const MAX_DECODED = 16_384;
/** Nobody looks for what is signed in a signature, and it would be the larger part of many headers. */
const SIGNATURE = /(?:signature|^arc-seal|^arc-authentication-results)$/;
const SIGNED = /\bb=[^;]*/g;

/** Fields whose addresses are looked for as they are meant, too. */
const ADDRESS_FIELDS: ReadonlySet<string> = new Set(['from', 'to', 'cc', 'bcc']);
const MAX_ADDRESSES = 2_000;

/** What the line of `headerText` begins with that has the addresses of a field written out: a space, as no field does. */
export function listLine(field: string): string {
  return ` ${field}:`;
}

/**
 * The header fields of a message as search looks through them: each on a line of its own with a line end before it,
 * `\nname: value`, decoded and in normal form, and for addresses also `\n name: list` where it is written otherwise (`writtenOut`).
 * Then, behind `\n\n`, those of its parts and of messages within it. At most 128 Ki.
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
  const shown = SIGNATURE.test(name) ? value.replace(SIGNED, 'b=') : value;
  const decoded = decodeEncodedWords(shown.slice(0, MAX_DECODED)) + shown.slice(MAX_DECODED);
  return `\n${name}: ${normalForm(decoded).trim()}`;
}

/**
 * Addresses in one form, that of Dovecot: `name <local@domain>, group: <a@b>, <c@d>;`, without quotes and comments. The envelope has only
 * these, and SEARCH FROM, TO, CC and BCC are about it (RFC 3501, section 6.4.4).
 */
function writtenOut(value: string): string {
  let text = '';
  // Begins of groups and commas stand before an address, and only the former are no end of one.
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

/** @returns a text as it is in a list that is written out */
export function withoutQuotes(text: string): string {
  return text.replaceAll(/["\\]/g, '');
}

function* partsIn(entity: Entity): Generator<Entity> {
  for (const part of entity.message === null ? entity.parts : [...entity.parts, entity.message]) {
    yield part;
    yield* partsIn(part);
  }
}
