import { readAddressList } from '../../rfc/address/index.ts';
import { bodyStructureText } from '../../rfc/imap/body-structure.ts';
import { envelopeText } from '../../rfc/imap/envelope.ts';
import { ImapWriter } from '../../rfc/imap/imap-writer.ts';
import { usualFields } from '../../rfc/imap/usual-fields.ts';
import { baseSubject } from '../../rfc/message/base-subject.ts';
import { readAncestors, readMessageIds } from '../../rfc/message/message-ids.ts';
import { readDate } from '../../rfc/message/read-date.ts';
import {
  decodeEncodedWords,
  type Entity,
  type EntityLimits,
  fieldValue,
  type HeaderField,
  headerEnd,
  readEntity,
} from '../../rfc/mime/index.ts';
import { crlfGrowth } from '../../rfc/pop3/multi-line.ts';
import { normalForm, withFewMarks } from '../search/normal-form.ts';
import { headerText } from './header-text.ts';
import { readBodies } from './read-bodies.ts';

/** A name and an address as a header shows them: decoded, and not checked. */
interface NamedAddress {
  /** Empty: there is none. */
  name: string;
  /** `local@domain`, as written; without the `@` when the domain is missing. */
  address: string;
}

/**
 * What the store keeps of a message beside its bytes. No string holds a NUL or half of a surrogate pair, so PostgreSQL
 * takes all of them. Bounds are in characters.
 */
export interface MessageFacts {
  /**
   * ENVELOPE of IMAP (RFC 9051, section 7.5.2), at most 128 Ki. Its quoted strings may hold UTF-8, as IMAP4rev2 and
   * UTF8=ACCEPT have it; for other clients those strings become literals.
   */
  envelope: string;
  /** BODYSTRUCTURE of IMAP with extension data, at most 512 Ki; for clients of RFC 3501 see `bodyStructureText`. */
  bodyStructure: string;
  /** The header fields of lists, as they stand there (`usualFields`), at most 8 Ki. Null: they are in the bytes alone. */
  usualFields: string | null;
  /** With its angle brackets. Null: there is none. */
  messageId: string | null;
  /** The ids of References, then those of In-Reply-To, with angle brackets, each once; at most 100. */
  references: string[];
  /** The ids that it answers as THREAD of IMAP has them (RFC 5256, section 3): of References, else the first of In-Reply-To; at most 100. */
  ancestors: string[];
  /** Decoded, at most 2,000; empty when there is none. */
  subject: string;
  /** Of the subject, in small letters, for threads and sorting (RFC 5256, section 2.1): with its accents, by which order differs. */
  baseSubject: string;
  /** At most 100 of each. */
  from: NamedAddress[];
  replyTo: NamedAddress[];
  to: NamedAddress[];
  cc: NamedAddress[];
  bcc: NamedAddress[];
  /** Of the Date field. Null: there is none that can be read. */
  sentAt: Date | null;
  /** The day of it as it is written, whatever the zone: `2026-11-22`. */
  sentOn: string | null;
  /** The begin of the text, without what it quotes, on one line: at most 200 (RFC 8970, section 3.2). */
  preview: string;
  /**
   * What search looks through, in normal form (`search/normal-form.ts`): first subject, addresses and names of
   * attachments, then, behind an empty line, the texts of the bodies. At most 160 Ki.
   */
  text: string;
  /** All header fields, for search: as `headerText`. */
  header: string;
  /** How many parts are neither text to read nor a picture within it. A message within the message is one, with all it has. */
  attachments: number;
  /** How many octets it gains where all of its lines have to end with CRLF, as for POP3. Mail that came by SMTP gains none. */
  crlfGrowth: number;
}

const KI = 1_024;
export const LIMITS: EntityLimits = {
  depth: 32,
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

/** Of any octets. Never throws; takes time proportional to their number, and for a message of 4 kB some 100 µs. */
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
  };
}

/** How much is read of a message that cannot be read as a whole. */
const MAX_UNREADABLE = 32 * KI;

/** What can be said of a message whose parts nobody could read: what its header says. */
export function factsOfUnreadable(raw: Buffer): MessageFacts {
  const facts = readMessageFacts(raw.subarray(0, MAX_UNREADABLE));
  const octets = raw.length - readEntity(raw, HEADER_ALONE).bodyStart;
  const bodyStructure = `("application" "octet-stream" NIL NIL NIL "binary" ${octets} NIL NIL NIL NIL)`;
  return { ...facts, bodyStructure, attachments: 1, crlfGrowth: crlfGrowth(raw) };
}

const HEADER_ALONE: EntityLimits = { ...LIMITS, depth: 0, insideMessages: false };

function subjectOf(fields: readonly HeaderField[]): string {
  return storable(decodeEncodedWords(fieldValue(fields, 'subject') ?? '').slice(0, MAX_SUBJECT));
}

/** What PostgreSQL takes for text. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

function readAddresses(value: string): NamedAddress[] {
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

/** Subjects and senders of the messages within the message. */
function headsInside(entity: Entity): string[] {
  const inside = [...entity.parts, ...(entity.message === null ? [] : [entity.message])];
  return inside.flatMap((part) => [
    ...(part === entity.message
      ? [subjectOf(part.fields), decodeEncodedWords(fieldValue(part.fields, 'from') ?? '')]
      : []),
    ...headsInside(part),
  ]);
}
