import type { Pop3Fault } from '../../rfc/pop3/parse-command.ts';

/**
 * The server's replies (RFC 1939, section 3), with the response codes of RFC 2449, section 8 and RFC 3206 where clients need the reason.
 * `AUTH` means that the user must fix the credentials or the connection. `SYS/TEMP` means that the client can retry later. `SYS/PERM` means
 * that a retry does not help.
 */
export const REPLIES = {
  ok: '+OK',
  bye: '+OK Bye',
  /** The reply is the same for every name, so that USER does not reveal which mailboxes exist (RFC 1939, section 7). */
  userOk: '+OK Send the password',
  startTls: '+OK Begin TLS',
  utf8: '+OK UTF-8 enabled',
  capabilities: '+OK Capabilities',
  mechanisms: '+OK Mechanisms',
  top: '+OK The top of the message',
  uidl: '+OK',
  deleted: '+OK Marked as deleted',

  unknown: '-ERR No such command',
  malformed: '-ERR The line is not a command',
  lineTooLong: '-ERR Line too long',
  bareLineEnd: '-ERR A bare CR or LF is not allowed; end lines with CRLF',
  tooManyErrors: '-ERR Too many errors',

  noTls: '-ERR TLS is not available',
  tlsAlready: '-ERR TLS is already on',
  /**
   * The reply to PASS and AUTH without TLS. Also the reply to USER, so that most clients never send the password (RFC 2595, section 2.3).
   */
  plainRefused:
    '-ERR [AUTH] Passwords are accepted only over TLS: send STLS first, or connect to the TLS port',
  plainRefusedWithoutTls:
    '-ERR [AUTH] Passwords need TLS, but this server has no certificate; its operator must set POSTHORN_ACME, or POSTHORN_TLS_CERT and POSTHORN_TLS_KEY',
  userFirst: '-ERR Send USER first',
  signInFirst: '-ERR Sign in first',
  signedInAlready: '-ERR Already signed in',
  noMechanism: '-ERR Unsupported mechanism; send AUTH alone for a list',
  authCancelled: '-ERR Authentication cancelled',
  authMalformed: '-ERR The response is not valid for this mechanism',
  refused: '-ERR [AUTH] The address or the password is wrong',
  unavailable: '-ERR [SYS/TEMP] The mailbox is temporarily unavailable; try again later',
  inUse: '-ERR [IN-USE] Another POP3 session is using this mailbox; try again when it has ended',
  noMailbox: '-ERR [SYS/PERM] The mailbox no longer exists',

  noSuchMessage: '-ERR No such message',
  deletedAlready: '-ERR The message is marked as deleted',
  gone: '-ERR The message was deleted during this session',
  unreadable: '-ERR [SYS/TEMP] The message cannot be read at the moment; try again later',
  readOnly: '-ERR [SYS/PERM] This app password is read-only',
  someNotDeleted: '-ERR [SYS/TEMP] Some messages were not deleted',

  /** Idle connections end without a reply (RFC 1939, section 3). */
  idle: null,
  tooLong: '-ERR [SYS/TEMP] The session took too long; no messages were deleted',
  shuttingDown: '-ERR [SYS/TEMP] The server is shutting down; try again in a moment',
  tooManyConnections: '-ERR [SYS/TEMP] Too many connections; try again later',
  displaced: '-ERR [SYS/TEMP] The server is busy and needs the resources of this connection; try again later',
  ended: '-ERR [AUTH] The password was changed or the mailbox was deleted; sign in again',
  lostMailbox: '-ERR [SYS/TEMP] The lock on the mailbox was lost; sign in again',
  brokenOff: '-ERR [SYS/TEMP] The message is incomplete; the rest cannot be read',
} as const;

/** The reply to an invalid line. The connection ends, because the end of the command is unknown. */
export function faultReply(fault: 'too-long' | 'bare-line-end'): string {
  return fault === 'too-long' ? REPLIES.lineTooLong : REPLIES.bareLineEnd;
}

/** The reply to a command that cannot be executed. */
export function replyToFault(fault: Pop3Fault): string {
  return 'rule' in fault ? `-ERR ${fault.rule}` : REPLIES[fault.fault];
}

export function tryLater(afterSeconds: number): string {
  return `-ERR [SYS/TEMP] Too many attempts; try again in ${afterSeconds} seconds`;
}
