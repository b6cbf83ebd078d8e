/** Reads the contents of a received message for a receiver's program. Runs in the worker thread. All content is untrusted. */
import { unwrapIfFlowed } from '../../rfc/message/flowed.ts';
import { readMessageIds } from '../../rfc/message/message-ids.ts';
import {
  decodeEncodedWords,
  decodeText,
  type Entity,
  fieldValue,
  type HeaderField,
  readEntity,
} from '../../rfc/mime/index.ts';
import { LIMITS, type NamedAddress, readAddresses } from '../../store/facts/message-facts.ts';
import { type BodySection, type SplitMessage, splitMessage } from '../../store/parts/body-parts.ts';
import { partOf, preformatted, type ReadPart, textOf } from '../../webmail/read/read-message.ts';
import { replyText } from './reply-text.ts';

/** The header and the contents of a message. Strings are well-formed. */
export interface ReadMail {
  /** The fields in the order of the message, with the names as written and with decoded values. */
  fields: HeaderField[];
  subject: string;
  from: NamedAddress[];
  to: NamedAddress[];
  cc: NamedAddress[];
  bcc: NamedAddress[];
  replyTo: NamedAddress[];
  /** As written. Null if the message has no Date. */
  date: string | null;
  /** With angle brackets. */
  messageId: string | null;
  inReplyTo: string | null;
  references: string[];
  /** The text, made from the HTML if the message has no text. */
  text: string;
  html: string | null;
  /** The text without the message that it quotes. */
  reply: string;
  /** Whether a text was longer than `MAX_TEXT` and is truncated. */
  isTruncated: boolean;
  attachments: ReadPart[];
}

/** The maximum length of a text in characters. The whole text is in the raw message. */
const MAX_TEXT = 2 * 1_048_576;
const MAX_ENCODED = 8 * 1_048_576;
const MAX_REFERENCES = 100;

/** Finds the part of HTML that is not quoted. Returns null if nothing is quoted, or if the HTML is too large. */
export type UnquoteHtml = (html: string) => Promise<string | null>;

/**
 * Never throws. Takes time proportional to the size of the message, except for `unquote`, which is only called for a message without text.
 */
export async function readMail(raw: Buffer, unquote: UnquoteHtml): Promise<ReadMail> {
  const message = readEntity(raw, LIMITS);
  const value = (name: string): string => fieldValue(message.fields, name) ?? '';
  const split = splitMessage(message);
  const { sections } = split;
  let isTruncated = false;
  const cut = (text: string): string => {
    isTruncated ||= text.length > MAX_TEXT;
    return text.slice(0, MAX_TEXT).toWellFormed();
  };
  // Attack: millions of short lines. Each part is truncated before its lines are separated.
  const read: ReadText = (entity) => {
    isTruncated ||= entity.end - entity.bodyStart > MAX_ENCODED;
    return cut(decodeText(raw, entity, MAX_ENCODED));
  };
  const wholeHtml = htmlOf(sections, read);
  const html = wholeHtml === null ? null : cut(wholeHtml);
  const text = cut(joined(sections, '\n\n', (section) => plainOf(section, read)));
  const isHtmlOnly = html !== null && !sections.some((section) => hasText(section, read));
  const unquoted = isHtmlOnly ? await unquote(html) : null;
  return {
    fields: namedFields(raw, message),
    subject: decoded(value('subject')),
    from: readAddresses(value('from')),
    to: readAddresses(value('to')),
    cc: readAddresses(value('cc')),
    bcc: readAddresses(value('bcc')),
    replyTo: readAddresses(value('reply-to')),
    date: value('date') === '' ? null : decoded(value('date')),
    messageId: readMessageIds(value('message-id'), 1)[0]?.toWellFormed() ?? null,
    inReplyTo: readMessageIds(value('in-reply-to'), 1)[0]?.toWellFormed() ?? null,
    references: readMessageIds(value('references'), MAX_REFERENCES).map((id) => id.toWellFormed()),
    text,
    html,
    reply: replyText(unquoted === null ? text : cut(unquoted)),
    isTruncated,
    attachments: filesOf(split),
  };
}

/** The files of a message. An invitation that is an alternative form of the text is one of them. */
export function attachmentsOf(raw: Buffer): ReadPart[] {
  return filesOf(splitMessage(readEntity(raw, LIMITS)));
}

function filesOf({ attached, calendar }: SplitMessage): ReadPart[] {
  const isListed = calendar === null || attached.some(({ part }) => part === calendar.part);
  const files = isListed ? attached : [...attached, calendar];
  return files.map(({ entity, part }) => partOf(entity, part));
}

/** The text of a part, truncated. */
type ReadText = (entity: Entity) => string;

function hasText({ text }: BodySection, read: ReadText): boolean {
  return text !== null && read(text).trim() !== '';
}

function plainOf(section: BodySection, read: ReadText): string {
  const text = textOf(section, read);
  return hasText(section, read) && section.text !== null
    ? unwrapIfFlowed(text, section.text.parameters)
    : text;
}

/** The HTML of all sections. Null if no section has HTML. */
function htmlOf(sections: readonly BodySection[], read: ReadText): string | null {
  if (!sections.some(({ html }) => html !== null)) return null;
  return joined(sections, '\n', ({ html, text }) =>
    html !== null ? read(html) : text === null ? '' : preformatted(read(text)),
  );
}

/** The texts of the sections. Attack: many sections of the largest length. Those after `MAX_TEXT` characters are not read. */
function joined(
  sections: readonly BodySection[],
  separator: string,
  read: (section: BodySection) => string,
): string {
  const texts: string[] = [];
  for (let length = 0, at = 0; at < sections.length && length <= MAX_TEXT; at++) {
    const text = read(sections[at] as BodySection);
    texts.push(text);
    length += text.length + (at === 0 ? 0 : separator.length);
  }
  return texts.join(separator);
}

function decoded(value: string): string {
  return decodeEncodedWords(value).toWellFormed();
}

const NAMES = /^([!-9;-~]{1,200})[ \t]{0,8}:/gm;

/** The fields with their names as written: the parser returns the names in lower case. */
function namedFields(raw: Buffer, { fields, start, bodyStart }: Entity): HeaderField[] {
  const names = raw
    .toString('latin1', start, Math.min(bodyStart, start + LIMITS.header.octets))
    .matchAll(NAMES);
  return fields.map(({ name, value }) => {
    let written = name;
    for (const [, next = ''] of names) {
      if (next.toLowerCase() !== name) continue;
      written = next;
      break;
    }
    return { name: written, value: decoded(value) };
  });
}
