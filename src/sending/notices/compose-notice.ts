/** Composes a DSN about a sent message: the outcome in words for the owner of the mailbox, and in the format of RFC 3464 for programs. */
import { namedMailbox } from '../../mailboxes/named-mailbox.ts';
import { composeDsn } from '../../rfc/dsn/compose-dsn.ts';
import { formatDate } from '../../rfc/message/format-date.ts';
import { decodeEncodedWords, fieldValue, readHeader } from '../../rfc/mime/index.ts';
import { REASONS } from './reasons.ts';
import type { RetryEnd } from './retry-end.ts';
import { type RecipientInNotice, describeRecipient, type NotifiedRecipient } from './notified-recipient.ts';

export interface Notice {
  /** A UUID for the Message-ID of the notice. */
  id: string;
  /** The host name of this server. */
  hostname: string;
  /** The mailbox that gets the notice. */
  mailbox: { localPart: string; domain: string };
  submission: {
    messageId: string;
    envelopeId: string | null;
    /** The RET parameter of the submission. Null if the client sent none. */
    returns: 'full' | 'headers' | null;
    octets: number;
    createdAt: Date;
  };
  /** At least one recipient. Either all recipients have failed, all are delayed, or all were successful. */
  recipients: readonly NotifiedRecipient[];
  /** The original message, or at least its first `quotedOctets` octets. */
  original: Buffer;
  now: Date;
}

/**
 * Larger messages are not returned in full, because they would fill the Inbox with copies of the Sent folder. Postfix has the same limit.
 */
const MAX_WHOLE = 50_000;
const MAX_HEADER = 65_536;

/** The number of octets that `composeNotice` needs from the original message. */
export function quotedOctets(octets: number): number {
  return octets <= MAX_WHOLE ? octets : Math.min(octets, MAX_HEADER);
}

/** Composes a notice. A pure function: the same input gives the same bytes. */
export function composeNotice(notice: Notice): Buffer {
  const { id, hostname, mailbox, submission, original, now } = notice;
  const recipients = notice.recipients.map((recipient) => describeRecipient(recipient, hostname));
  const hasFailed = recipients.some(({ status }) => status.action === 'failed');
  const subject = subjectOf(original);
  const report = composeDsn({
    from: namedMailbox('MAILER-DAEMON', hostname, 'Mail delivery'),
    to: namedMailbox(mailbox.localPart, mailbox.domain, null),
    subject: `${headlineOf(recipients).title}${subject === '' ? '' : `: ${subject}`}`,
    date: now,
    messageId: `<${id}@${hostname}>`,
    about: submission.messageId,
    text: textOf(recipients, subject, notice),
    status: {
      envelopeId: submission.envelopeId,
      reportingMta: hostname,
      arrivalDate: submission.createdAt,
      recipients: recipients.map(({ status }) => status),
    },
    original,
    // RET applies only to failures (RFC 3461, section 4.3).
    isWhole: hasFailed && submission.returns !== 'headers' && submission.octets <= MAX_WHOLE,
  });
  // Final delivery adds Return-Path (RFC 5321, section 4.4), which is empty for a DSN (RFC 3461, section 6.1).
  return Buffer.concat([Buffer.from('Return-Path: <>\r\n'), report]);
}

/** The maximum length of a quoted subject. A subject with thousands of characters would hide the text of the notice. */
const MAX_SUBJECT = 200;

function subjectOf(original: Buffer): string {
  const { fields } = readHeader(original, 0, original.length);
  const subject = decodeEncodedWords(fieldValue(fields, 'subject') ?? '');
  return clean(subject, MAX_SUBJECT);
}

/** Characters that are removed to stop this attack: with bidirectional overrides, one text looks like another text. */
const NOT_TEXT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** Shows untrusted text safely, on one line. */
function clean(text: string, max: number): string {
  const line = text.slice(0, max).replace(NOT_TEXT, ' ').trim();
  return text.length > max ? `${line}…` : line;
}

interface Headline {
  title: string;
  sentence: string;
}

function headlineOf(recipients: readonly RecipientInNotice[]): Headline {
  const actions = new Set(recipients.map(({ status }) => status.action));
  if (actions.has('failed'))
    return {
      title: 'Not delivered',
      sentence: 'Your message was not delivered to the recipients below and will not be retried.',
    };
  if (actions.has('delayed'))
    return {
      title: 'Delayed',
      sentence:
        'Your message has not been delivered to the recipients below yet. You do not need to send it again.',
    };
  return { title: 'Delivered', sentence: 'Your message was delivered to the recipients below.' };
}

const MAX_WORDS = 1_000;

const WAITS: Readonly<Record<Extract<RetryEnd, { waitsFor: string }>['waitsFor'], string>> = {
  sandbox:
    'The message was accepted while this server was a sandbox, so it is not sent. An operator of the server can release or withdraw it.',
  real: 'The message was accepted for real delivery, but this server is a sandbox now, so the message is waiting.',
  provider: 'This server is not sending mail at the moment, so the message is waiting.',
  destination: 'An operator of the server has paused mail to this domain, so the message is waiting.',
};

function textOf(recipients: readonly RecipientInNotice[], subject: string, { submission }: Notice): string {
  const lines = [
    headlineOf(recipients).sentence,
    '',
    `Subject: ${subject === '' ? '(none)' : subject}`,
    `Sent: ${formatDate(submission.createdAt)}`,
  ];
  for (const recipient of recipients) lines.push('', ...recipientLines(recipient));
  return `${lines.join('\n')}\n`;
}

function recipientLines({ status, reason, isReported, retryEnd }: RecipientInNotice): string[] {
  const { finalRecipient, action, diagnostic, remoteMta, lastAttempt } = status;
  const lines = [clean(finalRecipient, MAX_WORDS)];
  if (reason !== null)
    lines.push(
      `  ${REASONS[reason].what}`,
      `  What to do: ${REASONS[reason].toDo}`,
      // The category name, which operators can search for in logs and metrics.
      `  Category: ${reason}`,
    );
  else if (retryEnd !== null)
    lines.push(
      'until' in retryEnd
        ? `  The message will be retried until ${formatDate(retryEnd.until)}.`
        : `  ${WAITS[retryEnd.waitsFor]} Waiting does not count toward the retry time.`,
    );
  else if (action === 'delivered') lines.push('  The message is in the mailbox.');
  else lines.push('  The next mail server accepted the message, but does not report its delivery.');
  const source =
    remoteMta === null
      ? 'What happened'
      : `${clean(remoteMta, MAX_WORDS)} ${isReported ? 'said in a later report' : 'said'}`;
  if (diagnostic !== null && action !== 'delivered')
    lines.push(`  ${source}: ${clean(diagnostic.text, MAX_WORDS)}`);
  if (lastAttempt !== null) lines.push(`  Last attempt: ${formatDate(lastAttempt)}`);
  return lines;
}
