/**
 * Composes a delivery status notification, with a part for people and a part for programs (RFC 3461, section 6; RFC 3464; RFC 6522; RFC
 * 6533).
 */
import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { MailboxAddress } from '../address/index.ts';
import { addressField } from '../message/address-field.ts';
import { formatDate } from '../message/format-date.ts';
import { otherField, unstructuredField } from '../message/text-field.ts';
import { encodeText } from '../message/transfer-encoding.ts';
import { headerEnd } from '../mime/index.ts';
import { formatStatus, type StatusReport } from './format-status.ts';

export interface DsnContent {
  from: MailboxAddress;
  to: MailboxAddress;
  subject: string;
  date: Date;
  /** The Message-ID of the notification, with angle brackets. */
  messageId: string;
  /** The Message-ID of the reported message, with angle brackets, so that mail apps show both messages in one conversation. */
  about: string | null;
  /** The text for people. */
  text: string;
  status: StatusReport;
  /** The reported message with CRLF line ends. May be truncated anywhere after the header. */
  original: Buffer;
  /** Whether to return all of `original` rather than only the header. */
  isWhole: boolean;
  /** The maximum size of the returned header, in octets. A longer header is truncated after a line. Default: `MAX_HEADER`. */
  maxHeader?: number;
}

const MAX_HEADER = 65_536;

/**
 * Composes a notification. A pure function: the same content gives the same bytes. Lines end with CRLF. There is no Return-Path, because
 * the final delivery adds Return-Path with the null path (RFC 3461, section 6.1).
 */
export function composeDsn(content: DsnContent): Buffer {
  const { original, isWhole, messageId, about, maxHeader = MAX_HEADER } = content;
  const returned = isWhole ? original : headerOf(original, maxHeader);
  const status = formatStatus(content.status);
  const text = encodeText(content.text);
  // The boundary is a digest of the message. Attack: a message contains the boundary, but no message can contain its own digest.
  const boundary = `=_${createHash('sha256').update(messageId).update(returned).digest('hex').slice(0, 40)}`;
  const head =
    addressField('From', [content.from]) +
    addressField('To', [content.to]) +
    unstructuredField('Subject', content.subject) +
    `Date: ${formatDate(content.date)}\r\n` +
    otherField('Message-ID', messageId) +
    (about === null ? '' : otherField('In-Reply-To', about) + otherField('References', about)) +
    // Prevents out-of-office replies (RFC 3834, section 5).
    'Auto-Submitted: auto-replied\r\n' +
    'MIME-Version: 1.0\r\n' +
    `Content-Type: multipart/report; report-type=delivery-status;\r\n boundary="${boundary}"\r\n` +
    `\r\n--${boundary}\r\n` +
    `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: ${text.encoding}\r\n\r\n`;
  const machine =
    `\r\n--${boundary}\r\nContent-Type: ${status.type}\r\n` +
    `Content-Transfer-Encoding: ${status.type === 'message/delivery-status' ? '7bit' : '8bit'}\r\n\r\n${status.text}` +
    `\r\n--${boundary}\r\nContent-Type: ${typeOf(original, isWhole)}\r\n` +
    `Content-Transfer-Encoding: ${isAscii(returned) ? '7bit' : '8bit'}\r\n\r\n`;
  return Buffer.concat([
    Buffer.from(head),
    text.content,
    Buffer.from(machine),
    returned,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}

/** The header of a message, without the empty line. */
function headerOf(original: Buffer, maxOctets: number): Buffer {
  const header = original.subarray(0, headerEnd(original));
  if (header.length <= maxOctets) return header.at(-3) === 0x0a ? header.subarray(0, -2) : header;
  return header.subarray(0, header.lastIndexOf(0x0a, maxOctets - 1) + 1);
}

function typeOf(original: Buffer, isWhole: boolean): string {
  // A message with a non-ASCII header has another type (RFC 6533, section 4).
  const isPlain = isAscii(original.subarray(0, headerEnd(original)));
  if (isWhole) return isPlain ? 'message/rfc822' : 'message/global';
  return isPlain ? 'text/rfc822-headers' : 'message/global-headers';
}
