/** Writes the machine-readable part of a delivery status notification (RFC 3464; with non-ASCII text, RFC 6533). */
import { FieldWriter } from '../message/field-writer.ts';
import { formatDate } from '../message/format-date.ts';
import type { DsnAction } from './delivery-status.ts';

/** The delivery status of a message. Texts may contain anything: they are bounded and cannot begin another field. */
export interface StatusReport {
  /** The decoded ENVID of MAIL. */
  envelopeId: string | null;
  /** The name of this host. */
  reportingMta: string;
  arrivalDate: Date;
  /** At least one recipient. */
  recipients: readonly RecipientStatus[];
}

export interface RecipientStatus {
  /** The recipient in the envelope, without angle brackets. */
  finalRecipient: string;
  /** The decoded ORCPT of RCPT: `rfc822;` and the address. */
  originalRecipient: string | null;
  action: DsnAction;
  /** An enhanced code (RFC 3463). */
  status: string;
  /** The host that replied. Null if no host replied. */
  remoteMta: string | null;
  /** The type is an atom: `smtp` for the reply of a server. */
  diagnostic: { type: string; text: string } | null;
  lastAttempt: Date | null;
  /** The end of the delivery attempts. Only set for a delayed message. */
  willRetryUntil: Date | null;
}

export interface FormattedStatus {
  type: 'message/delivery-status' | 'message/global-delivery-status';
  /** Fields with CRLF, in ASCII unless the type is `message/global-delivery-status`. */
  text: string;
}

const ASCII = /^[\x20-\x7e]*$/;
/** Attack: characters that end a field or change what a terminal shows. The pattern also matches lone surrogates. */
const NOT_TEXT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu;
const NOT_ASCII = /[^\x20-\x7e]/gu;
const MAX_VALUE = 2_000;
/** A piece of a word, which cannot be folded. Even with 4 octets per character, a piece fits on a line of 998 octets. */
const PIECE = /.{1,240}/gsu;

/**
 * With a non-ASCII address, the result has the type of RFC 6533, with all texts unchanged. Otherwise it has the type of RFC 3464,
 * which more programs support, and a non-ASCII character in a server's reply becomes a question mark.
 */
export function formatStatus(report: StatusReport): FormattedStatus {
  const isGlobal = report.recipients.some(
    ({ finalRecipient, originalRecipient }) =>
      !ASCII.test(finalRecipient) || !ASCII.test(originalRecipient ?? ''),
  );
  const write = (name: string, ...values: readonly string[]): string => {
    const writer = new FieldWriter(name);
    for (const value of values) add(writer, value, isGlobal);
    return writer.finish();
  };
  const { envelopeId, reportingMta, arrivalDate, recipients } = report;
  let text = '';
  if (envelopeId !== null) text += write('Original-Envelope-Id', envelopeId);
  text += write('Reporting-MTA', 'dns;', reportingMta) + write('Arrival-Date', formatDate(arrivalDate));
  for (const recipient of recipients) {
    const { finalRecipient, originalRecipient, remoteMta, diagnostic, lastAttempt, willRetryUntil } =
      recipient;
    text += '\r\n';
    if (originalRecipient !== null)
      text += write('Original-Recipient', ...typed(originalRecipient, isGlobal));
    text += write('Final-Recipient', ASCII.test(finalRecipient) ? 'rfc822;' : 'utf-8;', finalRecipient);
    text += write('Action', recipient.action) + write('Status', recipient.status);
    if (remoteMta !== null) text += write('Remote-MTA', 'dns;', remoteMta);
    if (diagnostic !== null) text += write('Diagnostic-Code', `${diagnostic.type};`, diagnostic.text);
    if (lastAttempt !== null) text += write('Last-Attempt-Date', formatDate(lastAttempt));
    if (willRetryUntil !== null) text += write('Will-Retry-Until', formatDate(willRetryUntil));
  }
  return { type: isGlobal ? 'message/global-delivery-status' : 'message/delivery-status', text };
}

/** An address with its type. An invalid type would be read as a part of the address. */
const TYPED = /^([A-Za-z][A-Za-z0-9-]{0,39});(.*)$/s;
/** ASCII characters to encode, in addition to non-ASCII ones (RFC 6533, section 3, utf-8-addr-xtext). */
const UTF8_SPECIALS = /[\\+= ]/g;

function typed(originalRecipient: string, isGlobal: boolean): [type: string, address: string] {
  const [, type = 'unknown', address = originalRecipient] = TYPED.exec(originalRecipient) ?? [];
  const isEscaped = !isGlobal && type.toLowerCase() === 'utf-8';
  return [`${type};`, isEscaped ? address.replace(UTF8_SPECIALS, escaped) : address];
}

function escaped(character: string): string {
  return `\\x{${character.charCodeAt(0).toString(16).toUpperCase()}}`;
}

/** A word and the gap before it, which unfolding restores. */
const GAP_AND_WORD = /( *)([^ ]+)/g;
/** A gap is never folded, so it must be bounded. */
const MAX_GAP = 32;

function add(writer: FieldWriter, value: string, isGlobal: boolean): void {
  const text = value.slice(0, MAX_VALUE).replace(NOT_TEXT, ' ').trim();
  const shown = isGlobal ? text : text.replace(NOT_ASCII, '?');
  for (const [, gap = '', word = ''] of shown.matchAll(GAP_AND_WORD)) {
    const [first = '', ...others] = word.match(PIECE) ?? [];
    writer.add(first, gap.slice(0, MAX_GAP) || ' ');
    for (const piece of others) writer.add(piece);
  }
}
