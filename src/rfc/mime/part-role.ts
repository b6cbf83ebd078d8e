/** Decides which parts of a message are its text, and which are files. */
import { readParameterizedValue } from './content-type.ts';
import { decodeEncodedWords } from './encoded-word.ts';
import type { Entity } from './entity.ts';
import { fieldValue } from './header.ts';

type Part = Pick<Entity, 'type' | 'fields' | 'parameters'>;

/** A part may be both text and file, or neither. */
export interface PartRole {
  /** Whether the part is shown as text of the message. */
  isText: boolean;
  /** Whether the part is listed as a file. */
  isFile: boolean;
  /** The decoded file name. Empty if the part has none. */
  name: string;
}

const TEXTS = new Set(['text/plain', 'text/html', 'text/enriched']);
const NEITHER = { isText: false, isFile: false };
const TEXT = { isText: true, isFile: false };
const FILE = { isText: false, isFile: true };
const BOTH = { isText: true, isFile: true };

/**
 * The role of a part without parts. A file name alone does not make a text a file (RFC 2183, section 2.3): the only part of a message and an
 * alternative remain text, and so does inline text, which can be saved too.
 * @param parentType the type of the multipart around the part; null if the part is the whole message
 */
export function partRole(part: Part, parentType: string | null): PartRole {
  const { value: disposition, parameters } = readParameterizedValue(
    fieldValue(part.fields, 'content-disposition') ?? '',
  );
  const name = decodeEncodedWords(parameters.get('filename') || part.parameters.get('name') || '');
  return { ...roleOf(part, { parentType, disposition, name }), name };
}

interface Context {
  parentType: string | null;
  disposition: string;
  name: string;
}

function roleOf({ type, fields }: Part, { parentType, disposition, name }: Context): Omit<PartRole, 'name'> {
  if (disposition === 'attachment') return FILE;
  // A multipart without any boundary counts as text.
  const isText = TEXTS.has(type) || type.startsWith('multipart/');
  if (parentType === 'multipart/alternative') {
    if (isText) return TEXT;
    // An alternative has the same content as the text (RFC 2046, section 5.1.4), such as AMP. Some programs put files there: with a name, with
    // a Content-ID, or of another type, such as a PDF or a forwarded message, whose content may not be in the text.
    const isAlternative =
      type.startsWith('text/') &&
      name === '' &&
      type !== 'text/calendar' &&
      fieldValue(fields, 'content-id') === null;
    return isAlternative ? NEITHER : FILE;
  }
  if (!isText) return FILE;
  if (name === '') return TEXT;
  return disposition === 'inline' || parentType === null ? BOTH : FILE;
}
