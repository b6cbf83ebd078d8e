/** Writes the machine-readable part of a delivery status notification (RFC 3464; beyond ASCII, RFC 6533). */
import { FieldWriter } from '../message/field-writer.ts';
import { formatDate } from '../message/format-date.ts';
import type { DsnAction } from './delivery-status.ts';

/** What became of a message. Texts may hold anything: they are bounded, and cannot begin another field. */
export interface StatusReport {
  /** What ENVID of MAIL stands for. */
  envelopeId: string | null;
  /** The name of this host. */
  reportingMta: string;
  arrivalDate: Date;
  /** At least one. */
  recipients: readonly RecipientStatus[];
}

export interface RecipientStatus {
  /** From the envelope, without angle brackets. */
  finalRecipient: string;
  /** What ORCPT of RCPT stands for: `rfc822;`, and the address. */
  originalRecipient: string | null;
  action: DsnAction;
  /** An enhanced code (RFC 3463). */
  status: string;
  /** The host that answered; null: none did. */
  remoteMta: string | null;
  /** The type is an atom: `smtp` for the reply of a server. */
  diagnostic: { type: string; text: string } | null;
  lastAttempt: Date | null;
  /** Only of what is delayed. */
  willRetryUntil: Date | null;
}

export interface FormattedStatus {
  type: 'message/delivery-status' | 'message/global-delivery-status';
  /** Fields with CRLF, in ASCII unless the type is the global one. */
  text: string;
}

const ASCII = /^[\x20-\x7e]*$/;
/** Attack: any of them could end a field, or change what a terminal shows. Halves of pairs are no text. */
const NOT_TEXT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu;
const NOT_ASCII = /[^\x20-\x7e]/gu;
const MAX_VALUE = 2_000;
/** Of a word, which is not folded: with 4 octets each a piece stays on a line of 998. */
const PIECE = /.{1,240}/gsu;

/**
 * An address beyond ASCII makes it the type of RFC 6533, with all texts as they are. Else it is that of RFC 3464, which more programs know, and a
 * character beyond ASCII in what a server said becomes a question mark.
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

/** A type that is none would be read as a part of the address. */
const TYPED = /^([A-Za-z][A-Za-z0-9-]{0,39});(.*)$/s;
/** Beside what is beyond ASCII (RFC 6533, section 3, utf-8-addr-xtext). */
const UTF8_SPECIALS = /[\\+= ]/g;

function typed(originalRecipient: string, isGlobal: boolean): [type: string, address: string] {
  const [, type = 'unknown', address = originalRecipient] = TYPED.exec(originalRecipient) ?? [];
  const isEscaped = !isGlobal && type.toLowerCase() === 'utf-8';
  return [`${type};`, isEscaped ? address.replace(UTF8_SPECIALS, escaped) : address];
}

function escaped(character: string): string {
  return `\\x{${character.charCodeAt(0).toString(16).toUpperCase()}}`;
}

/** Words and the gaps before them, which unfolding gives back. */
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
