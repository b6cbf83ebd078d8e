/**
 * What the listener says. Every reply but the greeting, those to EHLO and HELO, and 354 has an enhanced code (RFC 2034,
 * section 4; codes: RFC 3463 and RFC 5248). The texts give nothing away that a stranger does not know.
 */

/** Octets of a message. Reports are small; one that holds a whole message of ours is not. */
export const MAX_MESSAGE_OCTETS = 10 * 1024 * 1024;

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
  tlsAlready: '503 5.5.1 TLS is on already',
  /** Section 3.5.3: neither confirmed nor denied. */
  vrfy: '252 2.1.5 Cannot verify; mail will tell',
  expn: '502 5.5.1 There are no lists here',
  help: '214 2.0.0 This server takes reports on mail that was sent from here: RFC 3464, RFC 5965',

  unknown: '500 5.5.2 No such command',
  malformed: '500 5.5.2 Not a command line',
  arguments: '501 5.5.4 Wrong arguments',
  parameter: '555 5.5.4 A parameter that was not offered',
  lineTooLong: '500 5.5.2 Line too long',
  /** As other servers answer what may be SMTP smuggling: the connection is of no more use. */
  bareLineEnd: '521 5.5.2 A bare CR or LF: lines end with CRLF',
  pipelinedData: '503 5.5.1 DATA must be the last of a group (RFC 2920)',
  earlyTalker: '554 5.5.1 You spoke before the greeting',

  greetFirst: '503 5.5.1 EHLO first',
  senderAlready: '503 5.5.1 One MAIL a message',
  mailFirst: '503 5.5.1 MAIL first',
  rcptFirst: '503 5.5.1 RCPT first',
  /** Section 3.6.2 and RFC 7505 do not apply: for any address that is not ours to answer for there is this alone. */
  noSuchRecipient: '550 5.1.1 No such recipient',
  /** Section 4.5.3.1.10. */
  tooManyRecipients: '452 4.5.3 Too many recipients',
  tooLarge: '552 5.3.4 Message too large',

  noRoom: '452 4.3.1 Too much mail at once; try again later',
  tryAgain: '451 4.3.0 Cannot take it now; try again later',
  shuttingDown: '421 4.3.2 Closing for a moment; try again',
  idle: '421 4.4.2 Silent for too long',
  tooLong: '421 4.7.0 Connected for too long',
  tooManyErrors: '421 4.7.0 Too many errors',
  tooManyCommands: '421 4.7.0 Too many commands',
  tooManyConnections: '421 4.7.0 Too many connections; try again later',
} as const;

/** Section 4.3.1: the host's name comes first. */
export function greeting(hostname: string): string {
  return `220 ${hostname} ESMTP`;
}

/** Section 4.1.1.1. */
export function ehloReply(hostname: string, offersTls: boolean): string {
  const extensions = [
    'PIPELINING',
    `SIZE ${MAX_MESSAGE_OCTETS}`,
    '8BITMIME',
    'SMTPUTF8',
    'ENHANCEDSTATUSCODES',
    ...(offersTls ? ['STARTTLS'] : []),
  ];
  return [
    `250-${hostname}`,
    ...extensions.map((name, at) => `250${at + 1 < extensions.length ? '-' : ' '}${name}`),
  ].join('\r\n');
}

export function heloReply(hostname: string): string {
  return `250 ${hostname}`;
}
