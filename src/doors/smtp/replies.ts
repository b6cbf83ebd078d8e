/**
 * What the listener says. Every reply has an enhanced code (RFC 2034, section 4; codes: RFC 3463 and RFC 5248), except the
 * greeting, the replies to EHLO and HELO, and 354. The texts reveal nothing about accounts or mail.
 */

import type { ContentFault } from '../../rfc/smtp/content-buffer.ts';

/** Octets of a message: what large providers take, with the third that base64 adds to its attachments. */
export const MAX_MESSAGE_OCTETS = 40 * 1024 * 1024;

/** RFC 5321, section 4.2. Without the last CRLF. */
export const REPLIES = {
  /** Section 4.2.3. */
  ok: '250 2.0.0 OK',
  /** Section 4.1.1.10. */
  bye: '221 2.0.0 Bye',
  senderOk: '250 2.1.0 OK',
  recipientOk: '250 2.1.5 OK',
  data: '354 End with a dot on a line of its own',
  accepted: '250 2.6.0 Accepted',
  /** RFC 3207, section 4. */
  startTls: '220 2.0.0 Ready for TLS',
  noTls: '502 5.5.1 STARTTLS is not offered',
  tlsAlready: '503 5.5.1 TLS is already on',
  /** Section 3.5.3: neither confirmed nor denied. */
  vrfy: '252 2.1.5 Addresses are not verified here; send the mail to find out',
  expn: '502 5.5.1 There are no lists here',

  /** RFC 4954, section 4. */
  authWithinMail: '503 5.5.1 Sign in before MAIL',
  authCancelled: '501 5.7.0 Signing in was cancelled',
  notBase64: '501 5.5.2 The response is not base64',
  responseTooLong: '500 5.5.6 The response is too long',

  unknown: '500 5.5.2 No such command',
  malformed: '500 5.5.2 The line is not a command',
  arguments: '501 5.5.4 Wrong arguments',
  parameter: '555 5.5.4 This parameter is not supported',
  lineTooLong: '500 5.5.2 Line too long',
  /** RFC 3030, section 2. */
  dataAfterChunks: '503 5.5.1 This message came in chunks: go on with BDAT, or send RSET',
  /** As other servers answer what may be SMTP smuggling. The connection ends: nothing on it can be trusted. */
  bareLineEnd: '521 5.5.2 A bare CR or LF: lines end with CRLF',
  pipelinedData: '503 5.5.1 Wait for 354 before you send the message (RFC 2920)',
  earlyTalker: '554 5.5.1 Wait for the greeting before you send commands',

  greetFirst: '503 5.5.1 Send EHLO first',
  senderAlready: '503 5.5.1 This message already has a sender',
  mailFirst: '503 5.5.1 Send MAIL first',
  rcptFirst: '503 5.5.1 Send RCPT first',
  senderTooLong: '501 5.1.7 The address of the sender is too long',
  /** RFC 6531, section 3.5. */
  needsUtf8: '553 5.6.7 An address beyond ASCII needs SMTPUTF8 at MAIL',
  /** At a domain that is served here. */
  noSuchRecipient: '550 5.1.1 No such recipient',
  /** RFC 3463, section 3.5. */
  notServedNow: '451 4.4.4 This server cannot take mail for that domain right now; try again later',
  /** Every other address: section 3.6.2. */
  noRelay: '550 5.7.1 This server takes no mail for that address, and passes none on',
  /** RFC 3463, section 3.3. */
  mailboxFull: '452 4.2.2 The mailbox is full; try again later',
  mailboxFullForLong: '552 5.2.2 The mailbox is full, and has been for a day',
  messageOverQuota: '552 5.2.2 The message is larger than all that the mailbox may hold',
  /** RFC 3463, section 3.4. */
  operatorsFull: '452 4.3.1 The mail for the operators of this server takes no more; try again later',
  /** Section 4.5.3.1.10. */
  tooManyRecipients: '452 4.5.3 Too many recipients',
  /** Section 6.3. */
  loop: '554 5.4.6 The message was here before, or at too many other servers: mail loops',
  tooLarge: '552 5.3.4 Message too large',

  noRoom: '452 4.3.1 Too much mail at once; try again later',
  tryAgain: '451 4.3.0 Temporary failure; try again later',
  shuttingDown: '421 4.3.2 The server is stopping; try again later',
  idle: '421 4.4.2 Silent for too long',
  tooLong: '421 4.7.0 Connected for too long',
  tooSlow: '421 4.4.2 The message takes too long',
  tooManyErrors: '421 4.7.0 Too many errors',
  tooManyCommands: '421 4.7.0 Too many commands',
  /** To a connection that gives way to another one. */
  givesWay: '421 4.3.2 Others need the room that this connection holds; try again later',
  tooManyConnections: '421 4.7.0 Too many connections; try again later',
} as const;

/** Section 4.1.1.1. */
export function ehloReply(hostname: string, keywords: readonly string[]): string {
  const lines = [
    hostname,
    'PIPELINING',
    `SIZE ${MAX_MESSAGE_OCTETS}`,
    '8BITMIME',
    'SMTPUTF8',
    'ENHANCEDSTATUSCODES',
    // Without BINARYMIME: what has bare line ends cannot be passed on in DATA.
    'CHUNKING',
    ...keywords,
  ];
  return lines.map((line, at) => `250${at + 1 < lines.length ? '-' : ' '}${line}`).join('\r\n');
}

/** What a message is answered with whose content was not kept. */
export const FAULT_REPLIES = {
  'too-large': REPLIES.tooLarge,
  'no-memory': REPLIES.noRoom,
  'bare-line-end': REPLIES.bareLineEnd,
} as const satisfies Record<ContentFault, string>;

/** The names that metrics have for them. */
export const FAULT_OUTCOMES = {
  'too-large': 'too_large',
  'no-memory': 'no_room',
  'bare-line-end': 'bare_line_end',
} as const satisfies Record<ContentFault, string>;
