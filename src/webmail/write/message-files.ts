/** Reads the texts and files of a message for replying, forwarding and editing. */
import { setImmediate } from 'node:timers/promises';
import type { SectionPart } from '../../rfc/imap/sections.ts';
import { findPart } from '../../rfc/imap/sections.ts';
import { unwrapIfFlowed } from '../../rfc/message/flowed.ts';
import {
  createDecoder,
  decodeText,
  fieldValue,
  partRole,
  readEntity,
  UnknownEncoding,
} from '../../rfc/mime/index.ts';
import { safeType } from './mime-tree.ts';
import type { OpenMessage } from './stored-message.ts';

/** A part that is not the text of the message. */
export interface MessageFile {
  /** The part number as in IMAP: `2.1`. */
  number: string;
  name: string;
  type: string;
  /** The approximate size after decoding, calculated from the encoded size. */
  octets: number;
  /** The Content-ID without angle brackets. Null if the part has no Content-ID. */
  contentId: string | null;
}

export interface MessageTexts {
  html: string | null;
  text: string | null;
  files: MessageFile[];
}

/** The maximum number of encoded octets of a text. A longer text is truncated in the result; the message itself does not change. */
const MAX_TEXT = 1_048_576;
const MAX_FILES = 100;
const STEP = 1_048_576;
const HEADER_ALONE = {
  depth: 0,
  parts: 0,
  header: { octets: 65_536, value: 8_192 },
  insideMessages: false,
};

/** Never throws. Supports any nesting depth that `PartsReader` returns. */
export function readTexts({ raw, root }: OpenMessage): MessageTexts {
  const found: MessageTexts = { html: null, text: null, files: [] };
  /** How many texts and files were found, including those over the limits. */
  let count = 0;
  const addFile = (part: SectionPart, number: string): void => {
    count++;
    if (found.files.length === MAX_FILES) return;
    const { fields, type, entity } = readLeaf(raw, part);
    found.files.push({
      number: number === '' ? '1' : number,
      name: partRole(entity, null).name || nameFor(type),
      type: safeType(type),
      octets: decodedOctets(part),
      contentId: /<([^<>\s]+)>/.exec(fieldValue(fields, 'content-id') ?? '')?.[1] ?? null,
    });
  };
  /** @returns false for an alternative that is neither text nor file */
  const visit = (part: SectionPart, number: string, parentType: string | null): boolean => {
    const { type, entity, leaf } = readLeaf(raw, part);
    if (part.isMultipart) {
      const before = count;
      let addOther: (() => void) | null = null;
      for (const [at, inside] of part.parts.entries()) {
        const inNumber = number === '' ? `${at + 1}` : `${number}.${at + 1}`;
        if (!visit(inside, inNumber, type)) addOther = () => addFile(inside, inNumber);
      }
      // If no alternative can be shown, the last one, which is the best, can at least be saved.
      if (count === before) addOther?.();
      return true;
    }
    const { isText, isFile } = partRole(entity, parentType);
    if (!isText && !isFile) return false;
    if (isText) count++;
    const isWritten = isText && (!isFile || parentType === null);
    if (isWritten && type === 'text/html' && found.html === null)
      found.html = decodeText(leaf, entity, MAX_TEXT);
    else if (isWritten && type === 'text/plain' && found.text === null)
      found.text = unwrapIfFlowed(decodeText(leaf, entity, MAX_TEXT), entity.parameters);
    else addFile(part, number);
    return true;
  };
  visit(root, '', null);
  return found;
}

/** Finds a part by number. @returns null if the message has no such part, or if the part is a multipart */
export function findFile(
  { raw, root }: OpenMessage,
  number: string,
): (MessageFile & { part: SectionPart }) | null {
  const part = findPart(root, number.split('.').map(Number));
  if (part === null || part.isMultipart) return null;
  const { type, entity } = readLeaf(raw, part);
  return {
    number,
    part,
    octets: decodedOctets(part),
    contentId: null,
    name: partRole(entity, null).name || nameFor(type),
    type: safeType(type),
  };
}

/** Decodes the bytes of a part in pieces. Like mail apps, skips characters that are not base64. */
export async function* decodedPart(raw: Buffer, part: SectionPart): AsyncGenerator<Buffer> {
  const body = raw.subarray(part.bodyStart, part.end);
  const decode = part.transferEncoding === 'base64' ? lenientBase64() : decoderOf(part.transferEncoding);
  for (let at = 0; at < body.length; at += STEP) {
    yield decode(body.subarray(at, at + STEP), at + STEP >= body.length);
    await setImmediate();
  }
}

function decoderOf(encoding: string): (piece: Buffer, isLast: boolean) => Buffer {
  const decode = createDecoder(encoding);
  return (piece, isLast) => {
    if (decode === null) return piece;
    try {
      return decode(piece, isLast);
    } catch (error) {
      if (error instanceof UnknownEncoding) return piece;
      throw error;
    }
  };
}

function lenientBase64(): (piece: Buffer, isLast: boolean) => Buffer {
  let rest = '';
  return (piece, isLast) => {
    const text = rest + piece.toString('latin1').replace(/[^A-Za-z0-9+/]+/g, '');
    const whole = isLast ? text.length : text.length - (text.length % 4);
    rest = text.slice(whole);
    return Buffer.from(text.slice(0, whole), 'base64');
  };
}

function readLeaf(raw: Buffer, part: SectionPart) {
  const leaf = raw.subarray(part.start, part.end);
  const entity = readEntity(leaf, HEADER_ALONE);
  return { leaf, entity, fields: entity.fields, type: entity.type };
}

function decodedOctets({ bodyStart, end, transferEncoding }: SectionPart): number {
  const octets = end - bodyStart;
  // The estimate assumes lines of 76 characters that end with CRLF.
  return transferEncoding === 'base64' ? Math.floor((octets * 76 * 3) / (78 * 4)) : octets;
}

function nameFor(type: string): string {
  if (type === 'message/rfc822') return 'message.eml';
  if (type === 'text/calendar') return 'invitation.ics';
  return type.startsWith('image/')
    ? `picture.${type.slice('image/'.length).replace(/[^a-z0-9]/g, '')}`
    : 'file';
}
