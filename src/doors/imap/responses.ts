/** Tagged responses (RFC 9051, section 7.1), with the response codes of RFC 5530 and others. */

export interface TaggedResponse {
  status: 'OK' | 'NO' | 'BAD';
  /** The response code, sent in brackets. Null for a response without a code. */
  code: string | null;
  text: string;
}

/** The response of a command that runs while the next command is read. */
export interface LaterResponse {
  later: Promise<TaggedResponse>;
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

/** Formats a tagged response, without CRLF. */
export function taggedLine(tag: string, { status, code, text }: TaggedResponse): string {
  return `${tag} ${status} ${code === null ? '' : `[${code}] `}${text}`;
}

/** Responses shared by several commands. */
export const RESPONSES = {
  noMailbox: no('NONEXISTENT', 'The mailbox does not exist'),
  readOnly: no('READ-ONLY', 'The mailbox is open read-only; open it with SELECT to change it'),
  noPermission: no('NOPERM', 'This app password is read-only'),
  badSet: bad('Invalid sequence number: there is no such message'),
  tryAgain: no('UNAVAILABLE', 'Temporary failure; try again later'),
  tooBig: no('TOOBIG', 'The literal exceeds the size limit'),
} as const satisfies Record<string, TaggedResponse>;

/** Last lines of a connection that the server closes. */
export const FAREWELLS = {
  idle: '* BYE Disconnected for inactivity',
  tooLong: '* BYE Connected for too long',
  shuttingDown: '* BYE [UNAVAILABLE] The server is shutting down; try again later',
  tooManyConnections: '* BYE [LIMIT] Too many connections; try again later',
  displaced:
    '* BYE [UNAVAILABLE] The server is busy and needs the resources of this connection; try again later',
  tooManyErrors: '* BYE Too many invalid commands',
  signInLate: '* BYE Sign-in took too long',
  tooManyFailures: '* BYE Too many failed sign-in attempts',
  lineTooLong: '* BYE The line is too long',
  bareLineEnd: '* BYE A bare CR or LF is not allowed; end lines with CRLF',
  literalTooBig: '* BYE [TOOBIG] The literal exceeds the size limit',
  signInEnded:
    '* BYE The password or your access to a shared mailbox was changed, or the mailbox was deleted; sign in again',
  lost: '* BYE [UNAVAILABLE] The rest of the message cannot be read; try again later',
  folderDeleted: '* BYE The selected mailbox was deleted',
} as const;
