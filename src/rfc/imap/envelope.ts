import { type ListedAddress, readAddressList } from '../address/index.ts';
import { fieldValue, type HeaderField, unfoldedValue } from '../mime/index.ts';
import type { ImapWriter } from './imap-writer.ts';

const MAX_ADDRESSES = 2_000;
/** The host name that is written for an address without a domain, as in Dovecot, because NIL would mean a group. */
const NO_DOMAIN = 'MISSING_DOMAIN';

/**
 * The ENVELOPE of a message (RFC 9051, section 7.5.2; the same in RFC 3501). Fields are unfolded, but encoded words are not decoded.
 * Non-ASCII octets are UTF-8, or are converted from windows-1252.
 */
export function envelopeText(fields: readonly HeaderField[], writer: ImapWriter): string {
  const value = (name: string): string => writer.text(unfoldedValue(fields, name));
  const addresses = (name: string): string => addressesText(fieldValue(fields, name), writer);
  const date = value('date');
  // In the subject, which is text for display, a fold becomes one space, as in Dovecot.
  const subject = writer.text(fieldValue(fields, 'subject'));
  const from = addresses('from');
  const senders = ['sender', 'reply-to'].map(addresses).map((list) => (list === 'NIL' ? from : list));
  const recipients = ['to', 'cc', 'bcc'].map(addresses);
  return `(${[date, subject, from, ...senders, ...recipients, value('in-reply-to'), value('message-id')].join(' ')})`;
}

/**
 * The raw In-Reply-To field of a message.
 * @param end an ENVELOPE from `envelopeText`, or its last characters
 * @returns null if the message has no such field, or if the characters do not contain all of it
 */
export function inReplyToOf(end: string): string | null {
  const messageIdAt = lastStringAt(end, end.length - ')'.length);
  if (messageIdAt === null) return null;
  const until = messageIdAt - ' '.length;
  const at = lastStringAt(end, until);
  const text = at === null ? '' : end.slice(at, until);
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/gs, '$1') : null;
}

/** The beginning of the `nstring` that ends before the index `end`. Null if it is not complete. */
function lastStringAt(text: string, end: number): number | null {
  if (text.endsWith(' NIL', end)) return end - 'NIL'.length;
  // A quote within the string is preceded by a backslash, so only the first quote can be preceded by a space.
  // `lastIndexOf` takes a negative index for 0.
  const at = end < 3 ? -1 : text.lastIndexOf(' "', end - 3);
  return text[end - 1] !== '"' || at === -1 ? null : at + 1;
}

function addressesText(value: string | null, writer: ImapWriter): string {
  if (value === null) return 'NIL';
  let text = '';
  for (const address of readAddressList(value, MAX_ADDRESSES)) {
    // An address that exceeds the budget is omitted completely, because half an address would be a different address.
    if (!writer.fits(lengthOf(address))) break;
    text += addressText(address, writer);
  }
  return text === '' ? 'NIL' : `(${text})`;
}

/** The length of an address in the envelope text, including quotes and parentheses. */
function lengthOf({ name, route, localPart, domain }: ListedAddress): number {
  const SIGNS = 20;
  return (
    (name ?? '').length + (route ?? '').length + (localPart ?? '').length + (domain ?? '').length + SIGNS
  );
}

function addressText({ name, route, localPart, domain }: ListedAddress, writer: ImapWriter): string {
  const host = domain === '' ? NO_DOMAIN : domain;
  // `addr-mailbox` is the name of a group, or an unquoted local part.
  const mailbox = domain === null ? localPart : withoutQuotes(localPart);
  return `(${[name, route, mailbox, host].map((part) => writer.text(part)).join(' ')})`;
}

const QUOTED = /"((?:[^"\\]|\\.)*)"/gs;

function withoutQuotes(localPart: string | null): string | null {
  return localPart?.replace(QUOTED, (_, text: string) => text.replace(/\\(.)/gs, '$1')) ?? null;
}
