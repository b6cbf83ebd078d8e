import { readAddressList } from '../../rfc/address/index.ts';
import { bodyStructureText } from '../../rfc/imap/body-structure.ts';
import { envelopeText } from '../../rfc/imap/envelope.ts';
import { ImapWriter } from '../../rfc/imap/imap-writer.ts';
import { usualFields } from '../../rfc/imap/usual-fields.ts';
import { type EventKey, readEventKey } from '../../rfc/icalendar/event-key.ts';
import { baseSubject } from '../../rfc/message/base-subject.ts';
import { readAncestors, readMessageIds } from '../../rfc/message/message-ids.ts';
import { readDate } from '../../rfc/message/read-date.ts';
import {
  decodeEncodedWords,
  decodeText,
  type Entity,
  type EntityLimits,
  fieldValue,
  type HeaderField,
  headerEnd,
  readEntity,
} from '../../rfc/mime/index.ts';
import { crlfGrowth } from '../../rfc/pop3/multi-line.ts';
import { calendarParts } from '../parts/calendar-part.ts';
import { normalForm, withFewMarks } from '../search/normal-form.ts';
import { headerText } from './header-text.ts';
import { readBodies } from './read-bodies.ts';

/** A name and an address from a header: decoded, but not validated. */
export interface NamedAddress {
  /** The display name. Empty if the address has no name. */
  name: string;
  /** `local@domain`, as written; without the `@` if the domain is missing. */
  address: string;
}

/**
 * The data that the store keeps about a message in addition to its bytes. PostgreSQL accepts every string, because no string contains a NUL
 * or a lone surrogate.
 */
export interface MessageFacts {
  /**
   * ENVELOPE of IMAP (RFC 9051, section 7.5.2), at most 128 Ki characters. Its quoted strings may contain UTF-8, as IMAP4rev2 and
   * UTF8=ACCEPT allow. For other clients, quoted strings with UTF-8 are converted to literals.
   */
  envelope: string;
  /** BODYSTRUCTURE of IMAP with extension data, at most 512 Ki characters. For the format see `bodyStructureText`. */
  bodyStructure: string;
  /**
   * The header fields that clients usually fetch for lists, unchanged (`usualFields`), at most 8 Ki characters. Null if the fields must be
   * read from the message.
   */
  usualFields: string | null;
  /** The Message-ID with its angle brackets. Null if the message has no Message-ID. */
  messageId: string | null;
  /** The ids in References, then the ids in In-Reply-To, with angle brackets, without duplicates. At most 100. */
  references: string[];
  /**
   * The ancestors by the rules of IMAP THREAD (RFC 5256, section 3): the ids in References, otherwise the first id in In-Reply-To. At most
   * 100.
   */
  ancestors: string[];
  /** The decoded subject, at most 2,000 characters. Empty if the message has no subject. */
  subject: string;
  /** The base subject in lower case, for threads and sorting (RFC 5256, section 2.1). Keeps accents, which affect the order. */
  baseSubject: string;
  /** At most 100 addresses from each field. */
  from: NamedAddress[];
  replyTo: NamedAddress[];
  to: NamedAddress[];
  cc: NamedAddress[];
  bcc: NamedAddress[];
  /** The time in the Date field. Null if the field is missing or cannot be parsed. */
  sentAt: Date | null;
  /** The day in the Date field as written, regardless of the zone: `2026-11-22`. */
  sentOn: string | null;
  /** The beginning of the text, without quotes, on one line. At most 200 characters (RFC 8970, section 3.2). */
  preview: string;
  /**
   * The searchable text in normal form (`search/normal-form.ts`): first subject, addresses and names of attachments, then, after an empty
   * line, the texts of the bodies. At most 160 Ki characters.
   */
  text: string;
  /** All header fields, for search, in the form of `headerText`. */
  header: string;
  /** The number of parts that are neither body text nor an inline image. A message within the message counts as one part. */
  attachments: number;
  /** The number of octets added when all line ends become CRLF, as POP3 requires. 0 for mail received over SMTP. */
  crlfGrowth: number;
  /** The event in the message's calendar. Null if the message has no calendar, or if the calendar is very large. */
  event: EventKey | null;
}

const KI = 1_024;
export const LIMITS: EntityLimits = {
  /** As many levels as Dovecot reads, and as `FETCH` may name. */
  depth: 100,
  parts: 1_000,
  header: { octets: 4_096 * KI, value: 64 * KI },
  insideMessages: true,
};
const MAX_ENVELOPE = 100 * KI;
const MAX_BODY_STRUCTURE = 400 * KI;
const MAX_IDS = 100;
const MAX_SUBJECT = 2_000;
const MAX_ADDRESSES = 100;
const MAX_NAME = 400;
const MAX_HEAD = 32 * KI;
const MAX_CALENDAR = 384 * KI;

/** Accepts any octets and never throws. Takes time proportional to the number of octets: about 100 µs for a message of 4 kB. */
export function readMessageFacts(raw: Buffer): MessageFacts {
  const message = readEntity(raw, LIMITS);
  const { fields } = message;
  const value = (name: string): string => fieldValue(fields, name) ?? '';
  const addresses = (name: string): NamedAddress[] => readAddresses(value(name));
  const subject = subjectOf(fields);
  const bodies = readBodies(raw, message);
  const sent = readDate(value('date'));
  const [from, replyTo, to, cc, bcc] = (['from', 'reply-to', 'to', 'cc', 'bcc'] as const).map(addresses) as [
    NamedAddress[],
    NamedAddress[],
    NamedAddress[],
    NamedAddress[],
    NamedAddress[],
  ];
  const inside = headsInside(message);
  const head = [
    subject,
    ...[from, to, cc, bcc, replyTo].flat().flatMap(({ name, address }) => [name, address]),
  ];
  const found = normalForm([...head, ...bodies.names, ...inside].join(' ').slice(0, MAX_HEAD)).trim();
  return {
    envelope: envelopeText(fields, new ImapWriter(MAX_ENVELOPE)),
    bodyStructure: bodyStructureText(raw, message, new ImapWriter(MAX_BODY_STRUCTURE)),
    usualFields: usualFields(raw.subarray(0, headerEnd(raw))),
    messageId: storable(readMessageIds(value('message-id'), 1)[0] ?? '') || null,
    references: readMessageIds(`${value('references')} ${value('in-reply-to')}`, MAX_IDS).map(storable),
    ancestors: readAncestors(value('references'), value('in-reply-to'), MAX_IDS).map(storable),
    subject,
    baseSubject: withFewMarks(baseSubject(subject)).normalize('NFC').toLowerCase(),
    from,
    replyTo,
    to,
    cc,
    bcc,
    sentAt: sent?.at ?? null,
    sentOn: sent?.day ?? null,
    preview: bodies.preview,
    text: `${storable(found)}\n\n${bodies.text}`,
    header: storable(headerText(message)),
    attachments: bodies.attachments,
    crlfGrowth: crlfGrowth(raw),
    event: eventIn(raw, message),
  };
}

function eventIn(raw: Buffer, message: Entity): EventKey | null {
  const calendar = calendarParts(message)[0]?.entity;
  if (calendar === undefined || calendar.end - calendar.bodyStart > MAX_CALENDAR) return null;
  return readEventKey(decodeText(raw, calendar, MAX_CALENDAR), calendar.parameters.get('method') ?? null);
}

/** If the parts of a message cannot be read, only this many octets at its beginning are read. */
const MAX_UNREADABLE = 32 * KI;

/** The facts of a message whose parts could not be read, from its header only. */
export function factsOfUnreadable(raw: Buffer): MessageFacts {
  const facts = readMessageFacts(raw.subarray(0, MAX_UNREADABLE));
  const octets = raw.length - readEntity(raw, HEADER_ALONE).bodyStart;
  const bodyStructure = `("application" "octet-stream" NIL NIL NIL "binary" ${octets} NIL NIL NIL NIL)`;
  return { ...facts, bodyStructure, attachments: 1, crlfGrowth: crlfGrowth(raw) };
}

const HEADER_ALONE: EntityLimits = { ...LIMITS, depth: 0, insideMessages: false };

export function subjectOf(fields: readonly HeaderField[]): string {
  return storable(decodeEncodedWords(fieldValue(fields, 'subject') ?? '').slice(0, MAX_SUBJECT));
}

/** Removes characters that PostgreSQL rejects. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

/** Reads the value of a field that lists addresses, such as To. */
export function readAddresses(value: string): NamedAddress[] {
  const read: NamedAddress[] = [];
  for (const { name, localPart, domain } of readAddressList(value, MAX_ADDRESSES)) {
    if (localPart === null || domain === null) continue;
    const address = domain === '' ? localPart : `${localPart}@${domain}`;
    read.push({
      name: storable(decodeEncodedWords(name ?? '').slice(0, MAX_NAME)),
      address: storable(address.slice(0, MAX_NAME)),
    });
  }
  return read;
}

/** The subjects and senders of messages within the message. */
function headsInside(entity: Entity): string[] {
  const inside = [...entity.parts, ...(entity.message === null ? [] : [entity.message])];
  return inside.flatMap((part) => [
    ...(part === entity.message
      ? [subjectOf(part.fields), decodeEncodedWords(fieldValue(part.fields, 'from') ?? '')]
      : []),
    ...headsInside(part),
  ]);
}
