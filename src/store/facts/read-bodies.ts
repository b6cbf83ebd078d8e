import { htmlToText } from '../../rfc/message/html-to-text.ts';
import { unwrapIfFlowed } from '../../rfc/message/flowed.ts';
import {
  decodeText,
  type Entity,
  fieldValue,
  partRole,
  readParameterizedValue,
} from '../../rfc/mime/index.ts';
import { normalForm } from '../search/normal-form.ts';

/** The maximum number of characters of a preview, as recommended by RFC 8970, section 3.2. */
const MAX_PREVIEW = 200;

/** The maximum number of characters read from a text for the preview. */
const MAX_READ = 8_192;

const QUOTED = /^\s*>/;

/** A line above a quote, such as `On Monday A. wrote:`. */
const ATTRIBUTION = /^.{1,300}:$/;

const RULE = /^[\s\-_=*~#|]+$/;

const LINK_TARGET = /\(https?:\/\/[^\s)]*\)?/g;

const NOT_SHOWN = /[\s\p{Cc}\p{Cf}]+/gu;

/** The content of a message's bodies. */
interface Bodies {
  preview: string;
  /** The text in normal form, with each part on a separate line. */
  text: string;
  /** The decoded file names of all parts. */
  names: string[];
  attachments: number;
}

/** The maximum number of characters in the text of all parts together. Search does not cover the rest of a longer text. */
const MAX_TEXT = 131_072;
/** The maximum number of encoded octets read from all parts together. Larger than `MAX_TEXT`, because HTML is much longer than its text. */
const MAX_ENCODED = 1_048_576;
const MAX_NAME = 255;
const MAX_NAMES = 200;
/** Encodings that a message/rfc822 part must not have (RFC 2046, section 5.2.1). A part with such an encoding is not read. */
const IS_PACKED = new Set(['base64', 'quoted-printable']);
/** The maximum number of HTML lines compared with the plain-text alternative. */
const MAX_COMPARED = 500;
/** A plain-text alternative shorter than this may stand in for the HTML. */
const MAX_STUB = 40;

/** Never throws. Decodes 1 MiB at most, regardless of the size of the message. */
export function readBodies(raw: Buffer, message: Entity): Bodies {
  return new BodyReader(raw).read(message);
}

class BodyReader {
  readonly #raw: Buffer;
  readonly #names: string[] = [];
  readonly #texts: string[] = [];
  #preview: string | null = null;
  #encoded = 0;
  #length = 0;
  #attachments = 0;
  /** Whether the reader is in a message within the message. */
  #isInside = false;

  constructor(raw: Buffer) {
    this.#raw = raw;
  }

  read(message: Entity): Bodies {
    this.#read(message, message, '');
    return {
      preview: this.#preview ?? '',
      text: this.#texts.join('\n'),
      names: this.#names,
      attachments: this.#attachments,
    };
  }

  /** @param beside the plain-text alternative to this part, in normal form; empty if there is none */
  #read(entity: Entity, parent: Entity, beside: string): string {
    if (entity.parts.length > 0) {
      let before = '';
      for (const part of entity.parts) {
        const text = this.#read(
          part,
          entity,
          entity.type === 'multipart/alternative' ? before || beside : '',
        );
        before ||= text;
      }
      return before;
    }
    const isRoot = entity === parent;
    const role = partRole(entity, isRoot ? null : parent.type);
    const name = role.name.slice(0, MAX_NAME).toWellFormed();
    if (name !== '' && this.#names.length < MAX_NAMES) this.#names.push(name);
    const isText = entity.type.startsWith('text/') || (isRoot && entity.type.startsWith('multipart/'));
    const isAttached = role.isFile && !isWithin(entity, isRoot ? null : parent.type, name);
    if (isAttached && !this.#isInside) this.#attachments++;
    if (entity.message !== null && !IS_PACKED.has(entity.transferEncoding)) {
      const wasInside = this.#isInside;
      this.#isInside = true;
      this.#read(entity.message, entity.message, '');
      this.#isInside = wasInside;
    }
    return isText ? this.#readText(entity, !role.isText && isAttached, beside) : '';
  }

  /** Whether the preview is a plain-text alternative that only stands in for the HTML, such as "Read online". @param beside see `#read` */
  #isStub(beside: string): boolean {
    const stub = normalForm(this.#preview ?? '').trim();
    return beside !== '' && beside.length < MAX_STUB && beside.includes(stub);
  }

  #readText(entity: Entity, isAttached: boolean, beside: string): string {
    const octets = Math.min(entity.end - entity.bodyStart, MAX_ENCODED - this.#encoded);
    if (octets <= 0 || this.#length >= MAX_TEXT) return '';
    this.#encoded += octets;
    const decoded = decodeText(this.#raw, entity, octets);
    const read =
      entity.type === 'text/html' ? htmlToText(decoded) : unwrapIfFlowed(decoded, entity.parameters);
    if (!isAttached && (this.#preview === null || this.#isStub(beside))) {
      const preview = previewOf(read);
      if (preview.length > 2 * (this.#preview?.length ?? 0)) this.#preview = preview;
    }
    const text = beside === '' ? normalForm(read).trim() : linesBeyond(read, beside);
    const kept = text.slice(0, MAX_TEXT - this.#length).toWellFormed();
    if (kept !== '') {
      this.#texts.push(kept);
      this.#length += kept.length;
    }
    return kept;
  }
}

/** The lines of `read` that are not in `beside`. The other lines are dropped, because HTML mostly repeats the plain-text alternative. */
function linesBeyond(read: string, beside: string): string {
  const lines = read.split('\n', MAX_COMPARED);
  const rest = read.split('\n').slice(MAX_COMPARED);
  const beyond = lines
    .map((line) => normalForm(line).trim())
    .filter((line) => line !== '' && !beside.includes(line));
  return normalForm([...beyond, ...rest].join(' ')).trim();
}

/**
 * Whether a part is not regarded as an attachment by users, although it is a file: an inline image, a signature, an invitation or a text
 * without a name.
 */
function isWithin(entity: Entity, parentType: string | null, name: string): boolean {
  const { type, fields } = entity;
  if (type === 'application/pgp-signature' || type === 'application/pkcs7-signature') return true;
  const disposition = readParameterizedValue(fieldValue(fields, 'content-disposition') ?? '').value;
  if (type.startsWith('text/'))
    return disposition !== 'attachment' && (name === '' || parentType === 'multipart/alternative');
  return type.startsWith('image/') && (parentType === 'multipart/related' || disposition === 'inline');
}

/** The first words of a text on one line, at most 200 characters (code points). Never throws. */
function previewOf(text: string): string {
  const lines = text.slice(0, MAX_READ).split('\n');
  const own = lines.filter((line, at) => {
    if (QUOTED.test(line) || RULE.test(line)) return false;
    const next = lines.slice(at + 1, at + 3).find((other) => other.trim() !== '') ?? '';
    return !(QUOTED.test(next) && ATTRIBUTION.test(line.trim()));
  });
  const line = (own.join(' ').trim() === '' ? lines : own)
    .join(' ')
    .replace(LINK_TARGET, '')
    .replace(NOT_SHOWN, ' ')
    .trim()
    .toWellFormed();
  const characters = [...line];
  return characters.length <= MAX_PREVIEW
    ? line
    : `${characters
        .slice(0, MAX_PREVIEW - 1)
        .join('')
        .trimEnd()}…`;
}
