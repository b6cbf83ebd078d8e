import { decodeEncodedWords, type Entity, type HeaderField } from '../../rfc/mime/index.ts';
import { normalForm } from '../search/normal-form.ts';

/** For all fields together. The rest of a longer header is not found by search. */
const MAX_TEXT = 131_072;
/** So much of a value is decoded: `decodeEncodedWords` drops what is behind it. */
const MAX_DECODED = 16_384;
/** Nobody looks for what is signed in a signature, and it would be the larger part of many headers. */
const SIGNATURE = /(?:signature|^arc-seal|^arc-authentication-results)$/;
const SIGNED = /\bb=[^;]*/g;

/**
 * The header fields of a message as search looks through them: each on a line of its own with a line end before it,
 * `\nname: value`, decoded and in normal form. Then, behind `\n\n`, those of its parts and of messages within it. At most 128 Ki.
 */
export function headerText(message: Entity): string {
  const lines = message.fields.map(lineOf);
  lines.push('\n');
  for (const part of partsIn(message)) for (const field of part.fields) lines.push(lineOf(field));
  return lines.join('').slice(0, MAX_TEXT).toWellFormed();
}

function lineOf({ name, value }: HeaderField): string {
  const shown = SIGNATURE.test(name) ? value.replace(SIGNED, 'b=') : value;
  const decoded = decodeEncodedWords(shown.slice(0, MAX_DECODED)) + shown.slice(MAX_DECODED);
  return `\n${name}: ${normalForm(decoded).trim()}`;
}

function* partsIn(entity: Entity): Generator<Entity> {
  for (const part of entity.message === null ? entity.parts : [...entity.parts, entity.message]) {
    yield part;
    yield* partsIn(part);
  }
}
