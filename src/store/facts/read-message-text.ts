/** The text of a message, for a page that shows only plain text. */
import { htmlToText } from '../../rfc/message/html-to-text.ts';
import { decodeText, type Entity, fieldValue, headerEnd, readEntity } from '../../rfc/mime/index.ts';
import { LIMITS } from './message-facts.ts';

export interface MessageText {
  /** The undecoded header, at most 64 KiB. Control characters are replaced. */
  header: string;
  /** The first text part, otherwise the text of the first HTML part, at most 128 Ki characters. Empty if the message has no text. */
  text: string;
}

const MAX_HEADER = 65_536;
const MAX_TEXT = 131_072;
/** The maximum number of encoded octets to decode. */
const MAX_ENCODED = 1_048_576;

/** Never throws for untrusted input. Decodes 1 MiB at most. */
export function readMessageText(raw: Buffer): MessageText {
  const message = readEntity(raw, LIMITS);
  const part = firstOf(message, 'text/plain') ?? firstOf(message, 'text/html');
  return { header: headerOf(raw), text: part === null ? '' : textOf(raw, part) };
}

/** The result for a message that could not be read. */
export function textOfUnreadable(raw: Buffer): MessageText {
  return { header: headerOf(raw), text: '' };
}

function headerOf(raw: Buffer): string {
  return shown(raw.toString('utf8', 0, Math.min(headerEnd(raw), MAX_HEADER)).trimEnd());
}

function textOf(raw: Buffer, part: Entity): string {
  const decoded = decodeText(raw, part, Math.min(part.end - part.bodyStart, MAX_ENCODED));
  const text = part.type === 'text/html' ? htmlToText(decoded) : decoded;
  return shown(text.slice(0, MAX_TEXT));
}

/** The first part of a type. Does not search attached messages. */
function firstOf(entity: Entity, type: string): Entity | null {
  if (entity.parts.length === 0) {
    const isAttached = /^\s*attachment\b/i.test(fieldValue(entity.fields, 'content-disposition') ?? '');
    return entity.type === type && !isAttached ? entity : null;
  }
  for (const part of entity.parts) {
    const found = firstOf(part, type);
    if (found !== null) return found;
  }
  return null;
}

/** Control characters. Attack: bidi controls that make one address look like another. */
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\p{Cf}]/gu;

function shown(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(HIDDEN, '\ufffd').toWellFormed();
}
