/** Writes the machine-readable part of a delivery status notification (RFC 3464; with non-ASCII text, RFC 6533). */
import { FieldWriter } from '../message/field-writer.ts';
import { formatDate } from '../message/format-date.ts';
import type { DsnAction } from './delivery-status.ts';

/** The delivery status of a message. Texts may contain any characters, because `formatStatus` truncates and cleans them. */
export interface StatusReport {
  /** The decoded ENVID from MAIL. */
  envelopeId: string | null;
  /** The name of this host. */
  reportingMta: string;
  arrivalDate: Date;
  /** The recipients, at least one. */
  recipients: readonly RecipientStatus[];
}

export interface RecipientStatus {
  /** The recipient in the envelope, without angle brackets. */
  finalRecipient: string;
  /** The decoded ORCPT from RCPT: the address type, a semicolon and the address. Null if RCPT had no ORCPT. */
  originalRecipient: string | null;
  action: DsnAction;
  /** An enhanced code (RFC 3463). */
  status: string;
  /** The name of the server that replied. Null if no server replied. */
  remoteMta: string | null;
  /** The reason for the status. `type` is an atom, such as `smtp` for a server's reply. */
  diagnostic: { type: string; text: string } | null;
  lastAttempt: Date | null;
  /** The time until which delivery is retried. Null unless the message is delayed. */
  willRetryUntil: Date | null;
}

export interface FormattedStatus {
  type: 'message/delivery-status' | 'message/global-delivery-status';
  /** The fields, each with CRLF. In ASCII unless the type is `message/global-delivery-status`. */
  text: string;
}

const ASCII = /^[\x20-\x7e]*$/;
/** Characters that end a field or that a terminal would interpret, and lone surrogates. Attack: a reply adds a field to the report. */
const NOT_TEXT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu;
const NOT_ASCII = /[^\x20-\x7e]/gu;
const MAX_VALUE = 2_000;
/**
 * A word without spaces cannot be folded, so a longer word is split into pieces of this length. Even with 4 octets per character, a piece
 * fits on a line of 998 octets.
 */
const PIECE = /.{1,240}/gsu;

/**
 * Writes the fields. If an address is not ASCII, the type is `message/global-delivery-status` (RFC 6533), and all texts are in UTF-8.
 * Otherwise, the type is `message/delivery-status` (RFC 3464), which more programs support, and a non-ASCII character in a server's reply
 * becomes a question mark.
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

/** An original recipient with a valid address type. Any other text is written as an address of the type `unknown`. */
const TYPED = /^([A-Za-z][A-Za-z0-9-]{0,39});(.*)$/s;
/** ASCII characters that must be encoded in `utf-8-addr-xtext`, besides non-ASCII characters (RFC 6533, section 3). */
const UTF8_SPECIALS = /[\\+= ]/g;

function typed(originalRecipient: string, isGlobal: boolean): [type: string, address: string] {
  const [, type = 'unknown', address = originalRecipient] = TYPED.exec(originalRecipient) ?? [];
  const isEscaped = !isGlobal && type.toLowerCase() === 'utf-8';
  return [`${type};`, isEscaped ? address.replace(UTF8_SPECIALS, escaped) : address];
}

function escaped(character: string): string {
  return `\\x{${character.charCodeAt(0).toString(16).toUpperCase()}}`;
}

/** A word and the spaces before it, so that the unfolded field has the spaces of the original text. */
const GAP_AND_WORD = /( *)([^ ]+)/g;
/** At most this many spaces are written before a word. Spaces cannot be folded, so more of them could make a line too long. */
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
