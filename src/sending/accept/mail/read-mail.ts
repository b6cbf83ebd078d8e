/**
 * Converts a message that an application submits by SMTP into the equivalent API request (docs/contract.md, sendEmail). The outgoing
 * message is composed anew. It has exactly one From field, with the address that was checked, even if fields of the original are repeated,
 * folded or encoded.
 */
import { hash } from 'node:crypto';
import {
  MAX_CONTENT_BYTES,
  MAX_HEADER_LENGTH,
  MAX_HEADERS,
  MAX_SUBJECT_LENGTH,
  MAX_TAG_LENGTH,
  MAX_TAGS,
  type SendEmail,
  MAX_LISTED_ADDRESSES,
} from '../../../contract/emails.ts';
import { STREAMS } from '../../../model/streams.ts';
import {
  decodeEncodedWords,
  decodeEncodedWordsStrictly,
  type Entity,
  guessedFields,
  HEADER_LIMITS,
  type HeaderField,
  readEntity,
} from '../../../rfc/mime/index.ts';
import { fingerprint } from '../fingerprint.ts';
import { readMailBodies } from './mail-bodies.ts';
import { formatMailbox, parseMailbox, readAddressList } from '../../../rfc/address/index.ts';

/** The errors in a message, by the name of a header field or `attachments`. */
type MailErrors = Readonly<Record<string, string>>;

/** The result of reading a message. Contains only plain values, because it passes between threads. */
export interface ReadMail {
  /** The request. `to` and `cc` are taken from the header; the envelope determines the recipients. */
  send: Omit<SendEmail, 'bcc'>;
  /** The address of the Sender field. Null: the message has no Sender field. */
  senderAddress: string | null;
  idempotencyKey: string | null;
  /** The Message-ID of the original message. Null: the message has no Message-ID. */
  messageId: string | null;
  /** SHA-256 of the message. */
  digest: Uint8Array;
  /** SHA-256 of `send`. */
  fingerprint: Uint8Array;
}

export type MailReading = ReadMail | { errors: MailErrors };

/** The size of the largest valid message: both body parts in quoted-printable with every octet escaped, and the header. */
export const MAX_MAIL_OCTETS = 6 * MAX_CONTENT_BYTES + 1024 * 1024;

const MAX_KEY_LENGTH = 200;
/** Trace fields, and fields that Posthorn writes anew. */
const LEFT_OUT = new Set([
  'from',
  'to',
  'cc',
  'bcc',
  'reply-to',
  'subject',
  'sender',
  'idempotency-key',
  'date',
  'message-id',
  'mime-version',
  'received',
  'return-path',
  'authentication-results',
]);
/** The fields of `LEFT_OUT` whose content is sent. */
const READ = new Set(['from', 'to', 'cc', 'reply-to', 'subject', 'sender', 'idempotency-key']);
const LEFT_OUT_PREFIXES = ['content-', 'dkim-', 'arc-'];
const OUR_PREFIX = 'x-posthorn-';
const TAG = 'x-posthorn-tag';
const STREAM = 'x-posthorn-stream';

/** Reads a message. Never throws. Takes time proportional to the size of the message. */
export function readMail(raw: Buffer): MailReading {
  const errors: Record<string, string> = {};
  const message = readEntity(raw);
  const { fields } = message;
  const value = (name: string): string | null => {
    const given = fields.filter((field) => field.name === name);
    if (given.length > 1) errors[name] = 'the message has this field more than once';
    return given[0]?.value ?? null;
  };
  const text = (name: string): string | null => {
    const found = value(name);
    return found === null ? null : decoded(found);
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
  const replyTo = one('reply-to');
  const all = (name: string): string[] => {
    const listed = addressesOf(fields, name);
    if ('error' in listed) errors[name] = listed.error;
    return 'error' in listed ? [] : listed.addresses;
  };
  const [to, cc] = [all('to'), all('cc')];
  const subject = text('subject') ?? '';
  if (subject.length > MAX_SUBJECT_LENGTH)
    errors['subject'] = `must have at most ${MAX_SUBJECT_LENGTH} characters`;
  Object.assign(errors, undecodableFields(raw, message));
  const bodies = readMailBodies(raw, message);
  if ('errors' in bodies) Object.assign(errors, bodies.errors);
  const tags = tagsOf(fields);
  if (tags.length > MAX_TAGS || tags.some((tag) => tag.length > MAX_TAG_LENGTH))
    errors['X-Posthorn-Tag'] = `must have at most ${MAX_TAGS} tags of at most ${MAX_TAG_LENGTH} characters`;
  const asked = text(STREAM)?.toLowerCase();
  const stream = STREAMS.find((known) => known === asked);
  if (asked !== undefined && stream === undefined) errors['X-Posthorn-Stream'] = STREAMS.join(' or ');
  const idempotencyKey = text('idempotency-key');
  if (idempotencyKey !== null && !isKey(idempotencyKey))
    errors['Idempotency-Key'] = `must have 1 to ${MAX_KEY_LENGTH} printable ASCII characters`;
  const messageId = value('message-id');
  const headers = otherFields(raw, message, errors);
  if (
    [subject, ...tags, ...Object.values(headers), ...to, ...cc].some((each) => each.includes('\0')) &&
    errors['message'] === undefined
  )
    errors['message'] = 'a header field contains a NUL';
  if (Object.keys(errors).length > 0 || from === null || 'error' in from || 'errors' in bodies)
    return { errors };
  const send: ReadMail['send'] = {
    from: from.text,
    to,
    cc,
    subject,
    ...(bodies.html !== '' && { html: bodies.html }),
    ...(bodies.text !== '' && { text: bodies.text }),
    ...(replyTo !== null && 'text' in replyTo && { reply_to: replyTo.text }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(tags.length > 0 && { tags }),
    ...(stream !== undefined && { stream }),
  };
  return {
    send,
    senderAddress: sender !== null && 'address' in sender ? sender.address : null,
    idempotencyKey,
    messageId,
    digest: hash('sha256', raw, 'buffer'),
    fingerprint: fingerprint(send),
  };
}

function decoded(value: string): string {
  return decodeEncodedWords(value).trim().toWellFormed();
}

/** Errors for the fields that cannot be decoded without guessing. */
function undecodableFields(raw: Buffer, message: Entity): Record<string, string> {
  const errors: Record<string, string> = {};
  const guessed = guessedFields(raw, message);
  for (const { name, value } of message.fields) {
    if (isTrace(name)) continue;
    if (guessed.has(name))
      errors[name] = 'has characters outside ASCII that are not UTF-8: encode them (RFC 2047)';
    else if (decodeEncodedWordsStrictly(value) === null)
      errors[name] = 'has an encoded word that cannot be decoded: encode it as UTF-8';
  }
  return errors;
}

/** Whether the field is dropped without being read. */
function isTrace(name: string): boolean {
  return (
    (LEFT_OUT.has(name) && !READ.has(name)) || LEFT_OUT_PREFIXES.some((prefix) => name.startsWith(prefix))
  );
}

function isKey(key: string): boolean {
  return key.length <= MAX_KEY_LENGTH && /^[\x20-\x7e]+$/.test(key);
}

/** The tags from all tag fields. A field can have several tags, separated by commas. */
function tagsOf(fields: readonly HeaderField[]): string[] {
  return fields
    .filter(({ name }) => name === TAG)
    .flatMap(({ value }) => decoded(value).split(','))
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

/** The custom header fields of the application. Their names keep the spelling of the original. */
function otherFields(
  raw: Buffer,
  { fields, start, bodyStart }: { fields: readonly HeaderField[]; start: number; bodyStart: number },
  errors: Record<string, string>,
): Record<string, string> {
  const written = namesIn(raw.toString('latin1', start, Math.min(bodyStart, start + HEADER_LIMITS.octets)));
  const others: [name: string, value: string][] = [];
  const seen = new Set<string>();
  for (const { name, value } of fields) {
    const shown = written.get(name) ?? name;
    if (name === TAG || name === STREAM) continue;
    if (name.startsWith(OUR_PREFIX)) errors[shown] = 'is not a header field that Posthorn defines; omit it';
    if (LEFT_OUT.has(name) || LEFT_OUT_PREFIXES.some((prefix) => name.startsWith(prefix))) continue;
    if (seen.has(name)) errors[shown] = 'the message has this field more than once';
    seen.add(name);
    const text = decoded(value);
    if (text.length > MAX_HEADER_LENGTH) errors[shown] = `must have at most ${MAX_HEADER_LENGTH} characters`;
    others.push([shown, text]);
  }
  if (others.length > MAX_HEADERS) errors['headers'] = `must have at most ${MAX_HEADERS} fields`;
  return Object.fromEntries(others);
}

const FIELD_NAMES = /^([!-9;-~]{1,200})[ \t]{0,8}:/gm;

/** The field names as spelled in the header, by their names in lower case. */
function namesIn(header: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const [, name = ''] of header.matchAll(FIELD_NAMES)) names.set(name.toLowerCase(), name);
  return names;
}

/**
 * The single mailbox in a field, read by the parser that sender checks use. Stops this attack: one parser reads one address in a field
 * where another parser reads two. A field that our parser rejects is an error, and the outgoing field is written from the parsed result.
 */
function mailboxOf(value: string): { text: string; address: string } | { error: string } {
  const parsed = parseMailbox(value);
  if ('error' in parsed) return parsed;
  const text = formatMailbox({ ...parsed, displayName: nameOf(parsed.displayName) });
  const again = parseMailbox(text);
  // Parse the result again, because an encoded name may contain characters that are not allowed in a name.
  if ('error' in again) return again;
  return again.address === parsed.address
    ? { text, address: again.address }
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
