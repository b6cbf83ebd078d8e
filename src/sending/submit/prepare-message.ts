/**
 * Prepares a message from a mail app for sending: checks and completes the message, and removes private fields. Apart from line ends, the
 * body stays the same byte for byte, so that S/MIME and OpenPGP signatures stay valid.
 */
import { hash } from 'node:crypto';
import type { OwnAddresses } from '../../mailboxes/own-addresses.ts';
import { messageIdOf, timeOf } from '../../model/ids.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import { hashBody } from '../../rfc/dkim/sign.ts';
import { addressField } from '../../rfc/message/address-field.ts';
import { formatDate } from '../../rfc/message/format-date.ts';
import { withCrlf } from '../../rfc/message/line-ends.ts';
import { readMessageIds } from '../../rfc/message/message-ids.ts';
import { readStrictHeader, type StrictField, strictValue } from '../../rfc/message/strict-header.ts';
import { largestFile } from '../../rfc/mime/file-sizes.ts';
import { checkIdentities } from './check-identities.ts';
import { type RejectedMail, rejectedMail } from './submitted-mail.ts';

export interface Preparing {
  submissionId: string;
  own: OwnAddresses;
  /** The mailbox's display name, for a From field without a name. */
  displayName: string | null;
  /** The mailbox's Reply-To, for messages without this field. */
  replyTo: string | null;
  /** The size of the largest file that the plan allows, in octets. */
  fileBytes: number;
  /** The value of the Received field (RFC 5321, section 4.4), without the date. */
  received: string;
  /** Whether a copy is stored in Sent. */
  storesCopy: boolean;
}

export interface PreparedMessage {
  outcome: 'prepared';
  data: Buffer;
  /** SHA-256 of `data`. */
  digest: Buffer;
  /** The hash of the body, for DKIM signatures. */
  bodyHash: Buffer;
  /** The copy for Sent, with the Bcc fields. Null if the message has no Bcc fields (`data` is then the copy), or if no copy is stored. */
  copy: Buffer | null;
  from: Pick<MailboxAddress, 'address' | 'domain' | 'unicode'>;
  messageId: string;
  /** SHA-256 of the original message. Null if the original had no Message-ID, because then a repetition cannot be recognized. */
  fingerprint: Buffer | null;
  /** Whether the header contains non-ASCII characters. */
  isHeaderUtf8: boolean;
}

/** Fields that only this server may add. */
const DROPPED: ReadonlySet<string> = new Set(['return-path', 'authentication-results']);
/** The dropped fields, and the fields with hidden recipients. */
const NOT_SENT: ReadonlySet<string> = new Set([...DROPPED, 'bcc', 'resent-bcc']);
const OUR_OWN = 'x-posthorn-';
/**
 * The maximum number of Received fields, to stop mail loops. Each server that handles a message adds one such field (RFC 5321, section
 * 6.3).
 */
const MAX_RECEIVED = 50;
const MB = 1024 * 1024;

/** Prepares a message. Never throws. Takes time proportional to the size of the message. */
export function prepareMessage(raw: Buffer, preparing: Preparing): PreparedMessage | RejectedMail {
  const message = withCrlf(raw);
  const header = readStrictHeader(message);
  if (header.fault !== undefined)
    return rejectedMail('badMessage', `The message is malformed: ${header.fault}.`);
  const { fields, bodyStart } = header;
  const author = checkIdentities(message, fields, preparing.own);
  if ('outcome' in author) return author;
  if (fields.filter(({ name }) => name === 'received').length > MAX_RECEIVED)
    return rejectedMail('loop', 'The message passed through too many servers: there is a mail loop.');
  if (message.length > preparing.fileBytes) {
    const size = largestFile(message);
    if (size > preparing.fileBytes)
      return rejectedMail(
        'fileTooLarge',
        `A file in the message has ${inMb(size)} MB. The plan of the project allows ${inMb(preparing.fileBytes)} MB per file.`,
      );
  }
  const { mailbox, field } = author;
  const messageIdField = fields.find(({ name }) => name === 'message-id');
  const givenId = messageIdField === undefined ? null : messageIdIn(message, messageIdField);
  const messageId = givenId ?? messageIdOf(preparing.submissionId, mailbox.domain);
  const head = (leavesOut: ReadonlySet<string>): Buffer[] => [
    ...fields
      // A Message-ID field without an id counts as missing.
      .filter(
        ({ name }) =>
          !leavesOut.has(name) && !name.startsWith(OUR_OWN) && (name !== 'message-id' || givenId !== null),
      )
      .map((one) =>
        one === field && mailbox.displayName === null && preparing.displayName !== null
          ? Buffer.from(addressField('From', [{ ...mailbox, displayName: preparing.displayName }]))
          : message.subarray(one.start, one.end),
      ),
    Buffer.from(`${missingFields(fields, preparing, givenId === null ? messageId : null)}\r\n`),
  ];
  const received = Buffer.from(
    `Received: ${preparing.received};\r\n\t${formatDate(timeOf(preparing.submissionId))}\r\n`,
  );
  const body = message.subarray(bodyStart);
  const sent = head(NOT_SENT);
  const data = Buffer.concat([received, ...sent, body]);
  const hasBcc = fields.some(({ name }) => NOT_SENT.has(name) && !DROPPED.has(name));
  const { address, domain, unicode } = mailbox;
  return {
    outcome: 'prepared',
    data,
    digest: hash('sha256', data, 'buffer'),
    bodyHash: hashBody(body),
    copy: preparing.storesCopy && hasBcc ? Buffer.concat([received, ...head(DROPPED), body]) : null,
    from: { address, domain, unicode },
    messageId,
    fingerprint: givenId === null ? null : hash('sha256', raw, 'buffer'),
    isHeaderUtf8: sent.some((part) => part.some((octet) => octet > 0x7f)),
  };
}

/** @param messageId the Message-ID to add; null if the message has one */
function missingFields(
  fields: readonly StrictField[],
  { submissionId, replyTo }: Preparing,
  messageId: string | null,
): string {
  const has = (name: string): boolean => fields.some((field) => field.name === name);
  return [
    has('date') ? '' : `Date: ${formatDate(timeOf(submissionId))}\r\n`,
    messageId === null ? '' : `Message-ID: ${messageId}\r\n`,
    replyTo === null || has('reply-to') ? '' : replyToField(replyTo),
  ].join('');
}

function messageIdIn(message: Buffer, field: StrictField): string | null {
  return readMessageIds(strictValue(message, field) ?? '', 1)[0] ?? null;
}

function replyToField(text: string): string {
  const mailbox = parseMailbox(text);
  return 'error' in mailbox ? '' : addressField('Reply-To', [mailbox]);
}

/** Rounded up, so that the size of a file that is one byte too large does not look equal to the limit. */
function inMb(octets: number): number {
  return Math.ceil((octets / MB) * 10) / 10;
}
