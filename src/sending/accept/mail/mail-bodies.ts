/**
 * Reads the text and HTML of a message that an application submits. Other parts are rejected, because only mailboxes may send attachments.
 */
import { MAX_CONTENT_BYTES } from '../../../contract/emails.ts';
import { unwrapIfFlowed } from '../../../rfc/message/flowed.ts';
import { decodeWholeText, type Entity, partRole } from '../../../rfc/mime/index.ts';

interface Bodies {
  /** Empty if the message has no HTML. */
  html: string;
  text: string;
}

/**
 * Multipart types whose parts are read. Parts of other types cannot be separated: a signature, for example, is useless without the signed
 * content.
 */
const CONTAINERS = new Set(['multipart/alternative', 'multipart/mixed', 'multipart/related']);
const FIELDS = new Map<string, keyof Bodies>([
  ['text/plain', 'text'],
  ['text/html', 'html'],
]);
const ENCODINGS = new Set(['7bit', '8bit', 'binary', 'base64', 'quoted-printable']);
const MIB = 1024 * 1024;

/** Never throws. Decodes at most one text and one HTML part. */
export function readMailBodies(
  raw: Buffer,
  message: Entity,
): Bodies | { errors: Readonly<Record<string, string>> } {
  const found = new Map<keyof Bodies, Entity>();
  const error = collect(message, null, found);
  if (error !== null) return { errors: { attachments: error } };
  const bodies: Bodies = { html: '', text: '' };
  for (const [field, leaf] of found) {
    if (!ENCODINGS.has(leaf.transferEncoding))
      return { errors: { [field]: 'has an unknown Content-Transfer-Encoding' } };
    const decoded = decodeWholeText(raw, leaf);
    if (decoded === null) return { errors: { [field]: undecodable(leaf) } };
    const isUnwrapped = field === 'text' && !isTooLong(decoded);
    const text = isUnwrapped ? unwrapIfFlowed(decoded, leaf.parameters) : decoded;
    if (isTooLong(text)) return { errors: { [field]: `must have at most ${MAX_CONTENT_BYTES / MIB} MB` } };
    if (text.includes('\0')) return { errors: { [field]: 'must not contain a NUL' } };
    bodies[field] = text;
  }
  return bodies;
}

function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > MAX_CONTENT_BYTES;
}

const MAX_SHOWN = 40;

function undecodable({ parameters }: Entity): string {
  const charset = (parameters.get('charset') ?? '').replace(/[^\x21-\x7e]/g, '').slice(0, MAX_SHOWN);
  return charset === ''
    ? 'has characters outside ASCII in an unknown charset: name the charset in Content-Type, or send UTF-8'
    : `cannot be decoded as ${charset}: send UTF-8, and name it in Content-Type`;
}

/**
 * @param parentType the type of the multipart around the part; null if the part is the whole message
 * @returns an error message, or null
 */
function collect(entity: Entity, parentType: string | null, found: Map<keyof Bodies, Entity>): string | null {
  const { type, parts, truncated } = entity;
  if (truncated) return 'the message has too many MIME parts';
  if (type.startsWith('multipart/')) {
    if (!CONTAINERS.has(type)) return `a message of the type ${type} is not supported`;
    if (parts.length === 0) return `the ${type} has no parts`;
    for (const part of parts) {
      const error = collect(part, type, found);
      if (error !== null) return error;
    }
    return null;
  }
  const field = FIELDS.get(type);
  const { isText, isFile } = partRole(entity, parentType);
  if (field === undefined || !isText || (isFile && parentType !== null))
    return 'attachments are only allowed in mailbox mail: remove them, or sign in with the password of a mailbox';
  if (found.has(field)) return `the message has more than one part of the type ${type}`;
  found.set(field, entity);
  return null;
}
