/**
 * What the server says (RFC 1939, section 3), with the codes of RFC 2449, section 8 and RFC 3206 where a client is to tell reasons apart:
 * AUTH: who signs in has to change something; SYS/TEMP: later it works; SYS/PERM: it never will.
 */
export const REPLIES = {
  ok: '+OK',
  bye: '+OK Bye',
  /** RFC 1939, section 7: nobody learns here which names there are. */
  userOk: '+OK Send the password',
  startTls: '+OK Begin TLS',
  utf8: '+OK UTF-8 it is',
  capabilities: '+OK Capabilities',
  mechanisms: '+OK Mechanisms',
  top: '+OK The top of the message',
  uidl: '+OK',
  deleted: '+OK Marked as deleted',

  unknown: '-ERR No such command',
  malformed: '-ERR The line is not a command',
  arguments: '-ERR Wrong arguments',
  lineTooLong: '-ERR Line too long',
  bareLineEnd: '-ERR A bare CR or LF: lines end with CRLF',
  tooManyErrors: '-ERR Too many errors',

  noTls: '-ERR TLS is not offered here',
  tlsAlready: '-ERR TLS is already on',
  /** RFC 2595, section 2.3: before anything secret was sent, if the client asks first. */
  plainRefused:
    '-ERR [AUTH] Passwords only over TLS: send STLS first, or connect to the port with TLS from the first byte',
  plainRefusedWithoutTls:
    '-ERR [AUTH] Passwords only over TLS, which this server has no certificate for: its operator sets POSTHORN_TLS_CERT and POSTHORN_TLS_KEY, or POSTHORN_ACME',
  userFirst: '-ERR Send USER first',
  signInFirst: '-ERR Sign in first',
  signedInAlready: '-ERR You are signed in already',
  noMechanism: '-ERR There is no such mechanism: send AUTH alone for a list',
  authCancelled: '-ERR Cancelled',
  authMalformed: '-ERR The response is none of this mechanism',
  refused: '-ERR [AUTH] The address or the password is wrong',
  unavailable: '-ERR [SYS/TEMP] The server cannot look that up at the moment: try again later',
  inUse:
    '-ERR [IN-USE] Another POP3 session has this mailbox: it ends with QUIT, or when its connection does',
  noMailbox: '-ERR [SYS/PERM] There is no such mailbox any more',

  noSuchMessage: '-ERR No such message',
  deletedAlready: '-ERR The message is marked as deleted',
  gone: '-ERR The message was deleted meanwhile',
  unreadable: '-ERR [SYS/TEMP] The message cannot be read at the moment: try again later',
  readOnly: '-ERR [SYS/PERM] This password is for reading alone',
  someNotDeleted: '-ERR [SYS/TEMP] Some messages were not deleted',

  /** RFC 1939, section 3: whoever was silent for too long hears nothing. */
  idle: null,
  tooLong: '-ERR [SYS/TEMP] This took too long: nothing is deleted',
  shuttingDown: '-ERR [SYS/TEMP] The server stops: come again in a moment',
  tooManyConnections: '-ERR [SYS/TEMP] Too many connections',
  givesWay: '-ERR [SYS/TEMP] Too many connections: those that do least end first',
  ended: '-ERR [AUTH] The password was changed: sign in again',
  lostMailbox: '-ERR [SYS/TEMP] The mailbox is not held for you any more: sign in again',
  brokenOff: '-ERR [SYS/TEMP] The message broke off: this is not all of it',
} as const;

/** What ends the connection: nothing that follows can be trusted. */
export function faultReply(fault: 'too-long' | 'bare-line-end'): string {
  return fault === 'too-long' ? REPLIES.lineTooLong : REPLIES.bareLineEnd;
}

export function tryLater(afterSeconds: number): string {
  return `-ERR [SYS/TEMP] Too many attempts: try again in ${afterSeconds} s`;
}
