/** Reads a caught message for people and tests: addresses, bodies, files, links and codes. */
import { factsOfUnreadable, type MessageFacts, readMessageFacts } from '../store/facts/message-facts.ts';
import type { Reading } from '../store/facts/readings.ts';
import { unwrapIfFlowed } from '../rfc/message/flowed.ts';
import { changeHtml } from '../rfc/message/html-links.ts';
import { htmlToText } from '../rfc/message/html-to-text.ts';
import {
  decodeBody,
  decodeText,
  type Entity,
  fieldValue,
  type HeaderField,
  partRole,
  readEntity,
  readParameterizedValue,
} from '../rfc/mime/index.ts';

/** A file in a message. */
export interface MessageFile {
  /** The position of the part, such as `2` or `1.2` (RFC 9051, section 6.4.5). */
  partId: string;
  name: string;
  type: string;
  /** Without angle brackets. Empty if the part has none. */
  contentId: string;
  /** Whether the file is shown within the HTML, such as an image. */
  isInline: boolean;
  /** The start of the encoded content. */
  start: number;
  end: number;
  transferEncoding: string;
}

export interface CaughtMessage
  extends Pick<
    MessageFacts,
    'messageId' | 'from' | 'to' | 'cc' | 'bcc' | 'replyTo' | 'subject' | 'sentAt' | 'preview'
  > {
  fields: readonly HeaderField[];
  /** Made from the HTML if the message has no text. */
  text: string;
  html: string;
  links: string[];
  codes: string[];
  files: MessageFile[];
}

/** The maximum number of encoded octets read from each body. */
const MAX_BODY_OCTETS = 8 * 1024 * 1024;

export const CAUGHT: Reading<CaughtMessage> = {
  /** Accepts any octets. */
  read(raw) {
    const message = readEntity(raw);
    const found: Found = { texts: [], htmls: [], files: [] };
    collect(raw, message, null, '', found);
    return caught(readMessageFacts(raw), message.fields, found);
  },
  ofUnreadable: (raw) => caught(factsOfUnreadable(raw), [], { texts: [UNREADABLE], htmls: [], files: [] }),
};

const UNREADABLE = 'Posthorn could not read this message in time. Its source is complete.';

/** Decodes the content of a file, which is large and rarely needed. */
export function contentOf(raw: Buffer, { start, end, transferEncoding }: MessageFile): Buffer {
  return decodeBody(raw, { bodyStart: start, end, transferEncoding }, end - start);
}

function caught(facts: MessageFacts, fields: readonly HeaderField[], found: Found): CaughtMessage {
  const { messageId, from, to, cc, bcc, replyTo, subject, sentAt, preview } = facts;
  const html = found.htmls.join('\n');
  const text = found.texts.length > 0 ? found.texts.join('\n') : htmlToText(html);
  return {
    messageId,
    from,
    to,
    cc,
    bcc,
    replyTo,
    subject,
    sentAt,
    preview,
    fields,
    text,
    html,
    links: linksOf({ html, text }),
    codes: codesOf({ subject, text }),
    files: found.files,
  };
}

interface Found {
  texts: string[];
  htmls: string[];
  files: MessageFile[];
}

function collect(raw: Buffer, entity: Entity, parentType: string | null, path: string, found: Found): void {
  if (entity.parts.length > 0) {
    for (const [at, part] of entity.parts.entries())
      collect(raw, part, entity.type, path === '' ? `${at + 1}` : `${path}.${at + 1}`, found);
    return;
  }
  const { isText, isFile, name } = partRole(entity, parentType);
  if (isText && entity.type === 'text/html') found.htmls.push(decodeText(raw, entity, MAX_BODY_OCTETS));
  else if (isText)
    found.texts.push(unwrapIfFlowed(decodeText(raw, entity, MAX_BODY_OCTETS), entity.parameters));
  if (!isFile) return;
  const { value } = readParameterizedValue(fieldValue(entity.fields, 'content-disposition') ?? '');
  const contentId = (fieldValue(entity.fields, 'content-id') ?? '').replace(/^\s*<|>\s*$/g, '');
  found.files.push({
    partId: path || '1',
    name,
    type: entity.type,
    contentId,
    isInline: value === 'inline' || (value === '' && contentId !== ''),
    start: entity.bodyStart,
    end: entity.end,
    transferEncoding: entity.transferEncoding,
  });
}

const MAX_LINKS = 200;
const MAX_LINK_LENGTH = 8_192;
const URL_IN_TEXT = /https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}]/g;

/** The targets of all links in the HTML, then those in the text, in their order and without duplicates. At most 200. */
export function linksOf({ html, text }: Pick<CaughtMessage, 'html' | 'text'>): string[] {
  const links = new Set<string>();
  const add = (link: string) => {
    if (links.size < MAX_LINKS && link.length <= MAX_LINK_LENGTH) links.add(link);
    return null;
  };
  changeHtml(html, { link: (href) => add(href.trim()), beforeBodyEnd: '' });
  for (const [link] of text.matchAll(URL_IN_TEXT)) add(link);
  return [...links];
}

/** A code that users type: 4 to 8 digits, perhaps in two halves of three, and no part of a longer number, a date, an amount or a name. */
const CODE = /(?<![\w.,:/#=&?%+$€£-])(?:\d{3}[ -]\d{3}|\d{4,8})(?![\w%€£]|[.,:/-]\d)/g;
const MAX_CODES = 50;

/** The codes in the subject and the text, without their separators, in their order and without duplicates. At most 50. */
export function codesOf({ subject, text }: Pick<CaughtMessage, 'subject' | 'text'>): string[] {
  const codes = new Set<string>();
  for (const [code] of `${subject}\n${text}`.matchAll(CODE)) {
    if (codes.size === MAX_CODES) break;
    codes.add(code.replace(/[ -]/, ''));
  }
  return [...codes];
}
