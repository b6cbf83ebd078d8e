/**
 * Reads a message that an application submits by SMTP (docs/submission.md): its content for the email, and the octets that are sent. The
 * address fields of the outgoing message are composed anew. It has exactly one From field, with the address that was checked, even if fields
 * of the original are repeated, folded or encoded. The body is sent as it is.
 */
import { hash } from 'node:crypto';
import {
  MAX_HEADER_LENGTH,
  MAX_HEADERS,
  MAX_LISTED_ADDRESSES,
  MAX_SUBJECT_LENGTH,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  type SendEmail,
} from '../../../contract/emails.ts';
import { type MessageLayout, shifted } from '../../../model/message-layout.ts';
import { isRelayOrder } from '../../../model/relay-orders.ts';
import { STREAMS } from '../../../model/streams.ts';
import { formatMailbox, parseMailbox, readAddressList } from '../../../rfc/address/index.ts';
import { hashBody } from '../../../rfc/dkim/sign.ts';
import { withCrlf } from '../../../rfc/message/line-ends.ts';
import { readStrictHeader, type StrictField } from '../../../rfc/message/strict-header.ts';
import { decodeEncodedWords, type HeaderField, readEntity } from '../../../rfc/mime/index.ts';
import { largestFile } from '../../../rfc/mime/file-sizes.ts';
import { fingerprint } from '../fingerprint.ts';
import { isDropped, keepHeader } from './kept-header.ts';
import { type MailBodies, readMailBodies } from './mail-bodies.ts';

/** The errors in a message, by the name of a header field or `message`. */
type MailErrors = Readonly<Record<string, string>>;

/** The octets to send, without the fields that Posthorn composes. */
interface SentMessage {
  data: Uint8Array;
  /** SHA-256 of `data`. */
  digest: Uint8Array;
  /** The hash of the body, for DKIM signatures. */
  bodyHash: Uint8Array;
  /** The Message-ID of `data`. */
  messageId: string;
  layout: MessageLayout;
}

/** The result of reading a message. Contains only plain values, because it passes between threads. */
export interface ReadMail {
  /**
   * The content, as shown. `to` and `cc` are taken from the header; the envelope determines the recipients. `reply_to` can list several
   * addresses.
   */
  send: Omit<SendEmail, 'bcc'>;
  /** The address of the Sender field. Null: the message has no Sender field. */
  senderAddress: string | null;
  idempotencyKey: string | null;
  /** Whether the message has a Message-ID of its own. */
  hasMessageId: boolean;
  /** SHA-256 of the message. */
  digest: Uint8Array;
  /** SHA-256 of the content, whatever its boundaries are. */
  fingerprint: Uint8Array;
  /** The decoded size of the largest part. */
  largestFile: number;
  /** Whether `send` is everything that the message contains, so that it could be composed from `send`. */
  isComplete: boolean;
  message: SentMessage;
}

export type MailReading = ReadMail | { errors: MailErrors };

const MAX_KEY_LENGTH = 200;
/** Fields that are not listed among the custom fields of the application. */
const NOT_CUSTOM = new Set(['from', 'to', 'cc', 'reply-to', 'subject', 'date', 'message-id', 'mime-version']);
/** Fields of which a message has one. Attack: programs that read the message may choose different ones. */
const SINGLE = ['subject', 'date', 'message-id', 'content-type', 'content-transfer-encoding'];
const OUR_PREFIX = 'x-posthorn-';
const TAG = 'x-posthorn-tag';
const STREAM = 'x-posthorn-stream';

/** Reads a message. Never throws. Takes time proportional to the size of the message. */
export function readMail(raw: Buffer): MailReading {
  const octets = withCrlf(raw);
  const header = readStrictHeader(octets);
  if (header.fault !== undefined) return { errors: { message: `malformed: ${header.fault}` } };
  const entity = readEntity(octets);
  // Attack: a header that ends for one parser and continues for another.
  if (entity.bodyStart !== header.bodyStart)
    return { errors: { message: 'malformed: the end of the header is unclear' } };
  const errors: Record<string, string> = {};
  const { fields } = entity;
  const value = (name: string): string | null => {
    const given = fields.filter((field) => field.name === name);
    if (given.length > 1) errors[name] = 'the message has this field more than once';
    return given[0]?.value ?? null;
  };
  for (const name of SINGLE) value(name);
  const text = (name: string): string | null => {
    const found = value(name);
    return found === null ? null : shown(found);
  };
  const one = (name: string): ReturnType<typeof mailboxOf> | null => {
    const found = value(name);
    const mailbox = found === null || found === '' ? null : mailboxOf(found);
    if (mailbox !== null && 'error' in mailbox) errors[name] = mailbox.error;
    return mailbox;
  };
  const from = one('from');
  if (from === null) errors['from'] = 'the message has no From field';
  const sender = one('sender');
  const all = (name: string): string[] => {
    const listed = addressesOf(fields, name);
    if ('error' in listed) errors[name] = listed.error;
    return 'error' in listed ? [] : listed.addresses;
  };
  const [to, cc, replyTo] = [all('to'), all('cc'), all('reply-to')];
  const tags = tagsOf(fields);
  if (tags.length > MAX_TAGS || tags.some((tag) => tag.length > MAX_TAG_LENGTH))
    errors['X-Posthorn-Tag'] = `must have at most ${MAX_TAGS} tags of at most ${MAX_TAG_LENGTH} characters`;
  const asked = text(STREAM)?.toLowerCase();
  const stream = STREAMS.find((known) => known === asked);
  if (asked !== undefined && stream === undefined) errors['X-Posthorn-Stream'] = STREAMS.join(' or ');
  const idempotencyKey = text('idempotency-key');
  if (idempotencyKey !== null && !isKey(idempotencyKey))
    errors['Idempotency-Key'] = `must have 1 to ${MAX_KEY_LENGTH} printable ASCII characters`;
  const headers = customFields(octets, header.fields, fields, errors);
  if (Object.keys(errors).length > 0 || from === null || 'error' in from) return { errors };
  const bodies = readMailBodies(octets, entity);
  const kept = keepHeader(octets, header, fields, from.domain);
  const send: ReadMail['send'] = {
    from: from.text,
    to,
    cc,
    subject: shown(value('subject') ?? '')
      .slice(0, MAX_SUBJECT_LENGTH)
      .toWellFormed(),
    ...(bodies.shownHtml !== '' && { html: bodies.shownHtml }),
    ...(bodies.shownText !== '' && { text: bodies.shownText }),
    ...(replyTo.length > 0 && { reply_to: replyTo.join(', ') }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(tags.length > 0 && { tags }),
    ...(stream !== undefined && { stream }),
  };
  return {
    send,
    senderAddress: sender !== null && 'address' in sender ? sender.address : null,
    idempotencyKey,
    hasMessageId: value('message-id') !== null,
    digest: hash('sha256', raw, 'buffer'),
    fingerprint: fingerprint([
      send,
      ...bodies.others.map((part) => [part.type, hash('sha256', octets.subarray(part.bodyStart, part.end))]),
    ]),
    largestFile: largestFile(octets),
    isComplete:
      bodies.isComplete &&
      !kept.isChanged &&
      replyTo.length < 2 &&
      (bodies.shownHtml !== '' || bodies.shownText !== ''),
    message: sentMessage(octets, header.bodyStart, kept, bodies),
  };
}

function sentMessage(
  octets: Buffer,
  bodyStart: number,
  { header, messageId, removed }: ReturnType<typeof keepHeader>,
  { html, text, files }: MailBodies,
): SentMessage {
  const data = Buffer.concat([header, octets.subarray(bodyStart)]);
  return {
    data,
    digest: hash('sha256', data, 'buffer'),
    bodyHash: hashBody(data.subarray(header.length)),
    messageId,
    layout: shifted({ html, text, files, removed }, header.length - bodyStart),
  };
}

/** Decodes a value for display. A decoded value can contain control characters, which no field may have. */
function shown(value: string): string {
  return decodeEncodedWords(value)
    .replace(/[\0-\x1f\x7f]+/g, ' ')
    .trim()
    .toWellFormed();
}

function isKey(key: string): boolean {
  return key.length <= MAX_KEY_LENGTH && /^[\x20-\x7e]+$/.test(key);
}

/** The tags from all tag fields. A field can have several tags, separated by commas. */
function tagsOf(fields: readonly HeaderField[]): string[] {
  return fields
    .filter(({ name }) => name === TAG)
    .flatMap(({ value }) => shown(value).split(','))
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

/** The custom header fields of the application, as shown. Their names keep the spelling of the original. */
function customFields(
  octets: Buffer,
  strict: readonly StrictField[],
  fields: readonly HeaderField[],
  errors: Record<string, string>,
): Record<string, string> {
  const spelled = new Map(
    strict
      .toReversed()
      .map(({ name, start, valueStart }) => [name, octets.toString('latin1', start, valueStart - 1)]),
  );
  const custom = new Map<string, string>();
  const seen = new Set<string>();
  for (const { name, value } of fields) {
    const isOurs = name.startsWith(OUR_PREFIX) && name !== TAG && name !== STREAM;
    if (isOurs) errors[spelled.get(name) ?? name] = 'is not a header field that Posthorn defines; omit it';
    const isListed =
      !NOT_CUSTOM.has(name) && !name.startsWith('content-') && !isDropped(name) && !isRelayOrder(name);
    if (!isListed || seen.has(name) || custom.size >= MAX_HEADERS || name.length > MAX_FIELD_NAME) continue;
    seen.add(name);
    custom.set(spelled.get(name) ?? name, shown(value).slice(0, MAX_HEADER_LENGTH).toWellFormed());
  }
  return Object.fromEntries(custom);
}

const MAX_FIELD_NAME = 76;

/**
 * The single mailbox in a field, read by the parser that sender checks use. Stops this attack: one parser reads one address in a field
 * where another parser reads two. A field that our parser rejects is an error, and the outgoing field is written from the parsed result.
 */
function mailboxOf(value: string): { text: string; address: string; domain: string } | { error: string } {
  const parsed = parseMailbox(value);
  if ('error' in parsed) return parsed;
  const text = formatMailbox({ ...parsed, displayName: nameOf(parsed.displayName) });
  const again = parseMailbox(text);
  // Parse the result again, because an encoded name may contain characters that are not allowed in a name.
  if ('error' in again) return again;
  return again.address === parsed.address
    ? { text, address: again.address, domain: again.domain }
    : { error: 'not an address: the display name is not valid' };
}

/** All addresses in the fields with the given name. Group names are dropped; group members are included. */
function addressesOf(
  fields: readonly HeaderField[],
  name: string,
): { addresses: string[] } | { error: string } {
  const value = fields
    .filter((field) => field.name === name)
    .map((field) => field.value)
    .join(', ');
  const listed = readAddressList(value, MAX_LISTED_ADDRESSES + 1);
  if (listed.length > MAX_LISTED_ADDRESSES)
    return { error: `must have at most ${MAX_LISTED_ADDRESSES} addresses` };
  const addresses: string[] = [];
  for (const { name: given, localPart, domain } of listed) {
    if (domain === null) continue;
    const text = formatMailbox({ displayName: nameOf(given), address: `${localPart ?? ''}@${domain}` });
    const parsed = parseMailbox(text);
    if ('error' in parsed) return parsed;
    addresses.push(text);
  }
  return { addresses };
}

function nameOf(name: string | null): string | null {
  return name === null ? null : decodeEncodedWords(name).trim() || null;
}
