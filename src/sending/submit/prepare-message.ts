/**
 * Prepares a message from a mail app for sending: checks and completes the message, and removes private fields. Apart from line ends, the
 * body stays the same byte for byte, so that S/MIME and OpenPGP signatures stay valid.
 */
import { hash } from 'node:crypto';
import { writable } from '../../mailboxes/own-addresses.ts';
import type { Senders, SharedSender } from '../../mailboxes/sharing/shared-senders.ts';
import { messageIdOf, timeOf } from '../../model/ids.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import { hashBody } from '../../rfc/dkim/sign.ts';
import { addressField } from '../../rfc/message/address-field.ts';
import { formatDate } from '../../rfc/message/format-date.ts';
import { withCrlf } from '../../rfc/message/line-ends.ts';
import { readMessageIds } from '../../rfc/message/message-ids.ts';
import { readStrictHeader, type StrictField, strictValue } from '../../rfc/message/strict-header.ts';
import { largestFile } from '../../rfc/mime/file-sizes.ts';
import { checkIdentities, latestResent, type RedirectedAuthor } from './check-identities.ts';
import { type RejectedMail, rejectedMail } from './submitted-mail.ts';

export interface Preparing {
  submissionId: string;
  senders: Senders;
  /** The mailbox's display name, for a From or Sender field without a name. */
  displayName: string | null;
  /** The mailbox's Reply-To, for messages without this field. */
  replyTo: string | null;
  /** The size of the largest file that the plan allows, in octets. */
  fileBytes: number;
  /** The value of the Received field (RFC 5321, section 4.4), without the date. */
  received: string;
  /** Whether a copy is stored in Sent. A message that is sent for another mailbox is always stored in the Sent folder of that mailbox. */
  storesCopy: boolean;
}

export interface PreparedMessage {
  outcome: 'prepared';
  data: Buffer;
  /** SHA-256 of `data`. */
  digest: Buffer;
  /** The hash of the body, for DKIM signatures. */
  bodyHash: Buffer;
  /**
   * The copy for Sent, with the Bcc fields. Null if `data` is the copy, or if no copy is stored. If the message is sent for another mailbox,
   * the copy names the sender.
   */
  copy: Buffer | null;
  /** The mailbox for which the message is sent. Null: it is sent in the sender's own name. */
  sharedBy: Pick<SharedSender, 'mailboxId' | 'sending'> | null;
  /** The sender's own address, if the message is sent for another mailbox. */
  sentBy: string | null;
  /** The sender: the author, or the mailbox that redirects the message of another author. */
  from: Pick<MailboxAddress, 'address' | 'domain' | 'unicode'>;
  /** The author, if the mailbox redirects the message of another author. */
  redirected: RedirectedAuthor | null;
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
 * The field of a copy in the Sent folder of a shared mailbox with the address of the member who sent the message. The message itself does
 * not have the field: recipients do not learn who sent it.
 */
const SENT_BY = 'X-Posthorn-Sent-By';
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
  const sender = checkIdentities(message, fields, preparing.senders);
  if ('outcome' in sender) return sender;
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
  const { mailbox, field, sharedBy, needsSender, redirected } = sender;
  const isRedirect = redirected !== null;
  const { displayName, replyTo } = sharedBy ?? preparing;
  const [ownAddress] = writable(preparing.senders.own);
  const messageIdField = fields.find(({ name }) => name === 'message-id');
  const givenId = messageIdField === undefined ? null : messageIdIn(message, messageIdField);
  const messageId = givenId ?? messageIdOf(preparing.submissionId, mailbox.domain);
  const missing = missingFields(fields, {
    date: timeOf(preparing.submissionId),
    messageId: givenId === null ? messageId : null,
    replyTo,
    sender: needsSender && ownAddress !== undefined ? senderOf(ownAddress.address, preparing) : null,
  });
  const head = (leavesOut: ReadonlySet<string>): Buffer[] => [
    Buffer.from(isRedirect ? missingResentDate(fields, preparing) : ''),
    ...fields
      // A Message-ID field without an id counts as missing.
      .filter(
        ({ name }) =>
          !leavesOut.has(name) && !name.startsWith(OUR_OWN) && (name !== 'message-id' || givenId !== null),
      )
      .map((one) =>
        one === field && !isRedirect && mailbox.displayName === null && displayName !== null
          ? Buffer.from(addressField('From', [{ ...mailbox, displayName }]))
          : message.subarray(one.start, one.end),
      ),
    // A field that is added to the message of another author can make the author's signature invalid.
    Buffer.from(isRedirect ? '' : missing),
    Buffer.from('\r\n'),
  ];
  const received = Buffer.from(
    `Received: ${preparing.received};\r\n\t${formatDate(timeOf(preparing.submissionId))}\r\n`,
  );
  const body = message.subarray(bodyStart);
  const sent = head(NOT_SENT);
  const data = Buffer.concat([received, ...sent, body]);
  const hasBcc = fields.some(({ name }) => NOT_SENT.has(name) && !DROPPED.has(name));
  const { address, domain, unicode } = mailbox;
  const sentBy = sharedBy === null ? null : (ownAddress?.address ?? null);
  return {
    outcome: 'prepared',
    data,
    digest: hash('sha256', data, 'buffer'),
    bodyHash: hashBody(body),
    copy:
      (preparing.storesCopy && hasBcc) || sentBy !== null
        ? Buffer.concat([
            received,
            Buffer.from(sentBy === null ? '' : `${SENT_BY}: ${sentBy}\r\n`),
            ...head(DROPPED),
            body,
          ])
        : null,
    sharedBy: sharedBy === null ? null : { mailboxId: sharedBy.mailboxId, sending: sharedBy.sending },
    sentBy,
    from: { address, domain, unicode },
    redirected,
    messageId,
    fingerprint: givenId === null ? null : hash('sha256', raw, 'buffer'),
    isHeaderUtf8: sent.some((part) => part.some((octet) => octet > 0x7f)),
  };
}

/** Resent-Date is required (RFC 5322, section 3.6.6), and belongs in front of the header. */
function missingResentDate(fields: readonly StrictField[], { submissionId }: Preparing): string {
  const hasDate = latestResent(fields).some(({ name }) => name === 'resent-date');
  return hasDate ? '' : `Resent-Date: ${formatDate(timeOf(submissionId))}\r\n`;
}

/** Values for fields that the message may lack. Null: the field is not added. */
interface Missing {
  date: Date;
  messageId: string | null;
  replyTo: string | null;
  sender: MailboxAddress | null;
}

function missingFields(
  fields: readonly StrictField[],
  { date, messageId, replyTo, sender }: Missing,
): string {
  const has = (name: string): boolean => fields.some((field) => field.name === name);
  return [
    has('date') ? '' : `Date: ${formatDate(date)}\r\n`,
    messageId === null ? '' : `Message-ID: ${messageId}\r\n`,
    sender === null ? '' : addressField('Sender', [sender]),
    replyTo === null || has('reply-to') ? '' : replyToField(replyTo),
  ].join('');
}

function senderOf(address: string, { displayName }: Preparing): MailboxAddress | null {
  const mailbox = parseMailbox(address);
  return 'error' in mailbox ? null : { ...mailbox, displayName };
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
