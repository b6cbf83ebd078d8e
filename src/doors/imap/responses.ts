/** What ends a command (RFC 9051, section 7.1), with the response codes of RFC 5530 and others. */

export interface TaggedResponse {
  status: 'OK' | 'NO' | 'BAD';
  /** What stands in brackets; null: nothing. */
  code: string | null;
  text: string;
}

export function ok(text: string, code: string | null = null): TaggedResponse {
  return { status: 'OK', code, text };
}

export function no(code: string | null, text: string): TaggedResponse {
  return { status: 'NO', code, text };
}

export function bad(text: string): TaggedResponse {
  return { status: 'BAD', code: null, text };
}

/** Without its CRLF. */
export function taggedLine(tag: string, { status, code, text }: TaggedResponse): string {
  return `${tag} ${status} ${code === null ? '' : `[${code}] `}${text}`;
}

/** Answers that several commands give. */
export const RESPONSES = {
  noMailbox: no('NONEXISTENT', 'There is no such mailbox'),
  readOnly: no('READ-ONLY', 'The mailbox was opened for reading'),
  noPermission: no('NOPERM', 'This password is for reading'),
  badSet: bad('There are no messages with these numbers'),
  tryAgain: no('UNAVAILABLE', 'Temporary failure; try again later'),
  tooBig: no('TOOBIG', 'This is larger than what is taken here'),
} as const satisfies Record<string, TaggedResponse>;

/** What a client hears last. */
export const FAREWELLS = {
  idle: '* BYE Silent for too long',
  tooLong: '* BYE Connected for too long',
  shuttingDown: '* BYE [UNAVAILABLE] The server is stopping; come again later',
  tooManyConnections: '* BYE [LIMIT] Too many connections; try again later',
  givesWay: '* BYE [UNAVAILABLE] Others need the room that this connection holds; try again later',
  tooManyErrors: '* BYE Too many commands that are none',
  signInLate: '* BYE Nobody has signed in for too long',
  tooManyFailures: '* BYE Too many attempts to sign in',
  lineTooLong: '* BYE The line is too long',
  bareLineEnd: '* BYE A bare CR or LF: lines end with CRLF',
  literalTooBig: '* BYE [TOOBIG] The literal is larger than what is taken here',
  signInEnded: '* BYE The password was changed, or the mailbox was deleted',
  lost: '* BYE [UNAVAILABLE] The rest of the message cannot be read; try again later',
  folderDeleted: '* BYE The mailbox that was selected was deleted',
} as const;
