/**
 * Replies of the SMTP session. Every reply has an enhanced code (RFC 2034, section 4; codes: RFC 3463 and RFC 5248), except the greeting,
 * the replies to EHLO and HELO, and 354. The texts are constant, so they reveal no account names and no mail content.
 */

import type { ContentFault } from '../../rfc/smtp/content-buffer.ts';
import type { SmtpCommandFault } from '../../rfc/smtp/parse-command.ts';

/** Maximum size of a message in octets: the limit of large providers, plus the third that base64 adds to attachments. */
export const MAX_MESSAGE_OCTETS = 40 * 1024 * 1024;

/** Replies without their last CRLF. */
export const REPLIES = {
  /** RFC 5321, section 4.2.3. */
  ok: '250 2.0.0 OK',
  /** RFC 5321, section 4.1.1.10. */
  bye: '221 2.0.0 Bye',
  senderOk: '250 2.1.0 OK',
  recipientOk: '250 2.1.5 OK',
  data: '354 End with a dot on a line of its own',
  accepted: '250 2.6.0 Accepted',
  /** RFC 3207, section 4. */
  startTls: '220 2.0.0 Ready for TLS',
  noTls: '502 5.5.1 STARTTLS is not offered',
  tlsAlready: '503 5.5.1 TLS is already on',
  /** RFC 5321, section 3.5.3. Attack: guessing addresses. The reply neither confirms nor denies an address. */
  vrfy: '252 2.1.5 This server does not verify addresses; send the message to find out',
  expn: '502 5.5.1 This server has no mailing lists',

  /** RFC 4954, section 4. */
  authWithinMail: '503 5.5.1 Sign in before MAIL',
  authCancelled: '501 5.7.0 Authentication cancelled',
  notBase64: '501 5.5.2 The response is not base64',
  responseTooLong: '500 5.5.6 The response is too long',

  unknown: '500 5.5.2 Unknown command',
  malformed: '500 5.5.2 Malformed command',
  noAuthor: '555 5.5.4 Unsupported parameter AUTH: this port has no sign-in',
  lineTooLong: '500 5.5.2 Line too long',
  /** RFC 3030, section 2. */
  dataAfterChunks: '503 5.5.1 The message was started with BDAT: continue with BDAT, or send RSET',
  /** The usual reply to possible SMTP smuggling. The connection is closed, because the rest of the input cannot be trusted. */
  bareLineEnd: '521 5.5.2 Bare CR or LF received: lines must end with CRLF',
  pipelinedData: '503 5.5.1 Wait for 354 before you send the message (RFC 2920)',
  notHttp: '554 5.5.1 This port speaks SMTP, not HTTP',
  earlyTalker: '554 5.5.1 Wait for the greeting before you send commands',

  greetFirst: '503 5.5.1 Send EHLO first',
  senderAlready: '503 5.5.1 This message already has a sender',
  mailFirst: '503 5.5.1 Send MAIL first',
  rcptFirst: '503 5.5.1 Send RCPT first',
  senderTooLong: '501 5.1.7 The address of the sender is too long',
  /** RFC 6531, section 3.5. */
  needsUtf8: '553 5.6.7 A non-ASCII address requires the parameter SMTPUTF8 of MAIL',
  /** For an address in a domain of this installation. */
  noSuchRecipient: '550 5.1.1 No such recipient',
  /** RFC 3463, section 3.5. */
  notServedNow: '451 4.4.4 This server cannot accept mail for that domain right now; try again later',
  /** For an address in any other domain (RFC 5321, section 3.6.2). */
  noRelay: '550 5.7.1 Relaying denied: this server does not accept mail for that address',
  /** RFC 3463, section 3.3. */
  mailboxFull: '452 4.2.2 The mailbox is full; try again later',
  mailboxFullForLong: '552 5.2.2 The mailbox has been full for more than a day',
  messageOverQuota: '552 5.2.2 The message is larger than the quota of the mailbox',
  /** RFC 3463, section 3.8. */
  tooManyForRoute: '451 4.7.1 You sent too many messages to this address in a minute; try again later',
  /** RFC 3463, section 3.4. */
  operatorsFull: '452 4.3.1 The mailbox for the operators of this server is full; try again later',
  /** RFC 5321, section 4.5.3.1.10. */
  tooManyRecipients: '452 4.5.3 Too many recipients',
  /** RFC 5321, section 6.3. */
  loop: '554 5.4.6 Mail loop: the message has already passed through this server, or through too many servers',
  tooLarge: `552 5.3.4 Message too large: the limit is ${MAX_MESSAGE_OCTETS / 1024 / 1024} MB`,

  noRoom: '452 4.3.1 Too much mail at the same time; try again later',
  tryAgain: '451 4.3.0 Temporary failure; try again later',
  shuttingDown: '421 4.3.2 The server is stopping; try again later',
  idle: '421 4.4.2 Idle for too long',
  tooLong: '421 4.7.0 Connected for too long',
  tooSlow: '421 4.4.2 The message took too long',
  tooManyErrors: '421 4.7.0 Too many errors',
  tooManyCommands: '421 4.7.0 Too many commands',
  /** For a connection that is closed so that another connection can use its capacity. */
  displaced: '421 4.3.2 The server is busy and needs the capacity of this connection; try again later',
  tooManyConnections: '421 4.7.0 Too many connections; try again later',
} as const;

/** The reply to a command that cannot be executed. The codes of invalid and unsupported parameters are those of RFC 5321, section 4.2.2. */
export function replyToFault(fault: SmtpCommandFault): string {
  if (!('rule' in fault)) return REPLIES[fault.fault];
  return `${fault.fault === 'arguments' ? '501' : '555'} 5.5.4 ${fault.rule}`;
}

/** RFC 5321, section 4.1.1.1. */
export function ehloReply(hostname: string, keywords: readonly string[]): string {
  const lines = [
    hostname,
    'PIPELINING',
    `SIZE ${MAX_MESSAGE_OCTETS}`,
    '8BITMIME',
    'SMTPUTF8',
    'ENHANCEDSTATUSCODES',
    // BINARYMIME is not offered, because content with bare line ends could not be relayed with DATA.
    'CHUNKING',
    'DSN',
    ...keywords,
  ];
  return lines.map((line, at) => `250${at + 1 < lines.length ? '-' : ' '}${line}`).join('\r\n');
}

/** Replies for content that was not stored. */
export const FAULT_REPLIES = {
  'too-large': REPLIES.tooLarge,
  'no-memory': REPLIES.noRoom,
  'bare-line-end': REPLIES.bareLineEnd,
} as const satisfies Record<ContentFault, string>;

/** Metric labels for the faults in `FAULT_REPLIES`. */
export const FAULT_OUTCOMES = {
  'too-large': 'too_large',
  'no-memory': 'no_room',
  'bare-line-end': 'bare_line_end',
} as const satisfies Record<ContentFault, string>;
