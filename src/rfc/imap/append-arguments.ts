/** Parses the arguments of APPEND and REPLACE (RFC 9051, section 6.3.12; RFC 3502, 3516, 6855, 8508). */
import type { AppendMessage, Command, SetNumber } from './command.ts';
import type { CommandCursor } from './command-cursor.ts';
import { readDateTime } from './dates.ts';
import { readFlagList } from './flag-list.ts';

const MAX_MESSAGES = 1_000;
const MAILBOX = 'the name of a mailbox';
const MESSAGE = 'a message as a literal';

export function readAppend(cursor: CommandCursor): Command {
  cursor.space(MAILBOX);
  const mailbox = cursor.mailbox();
  cursor.space(MESSAGE);
  const messages = [readMessage(cursor)];
  while (cursor.more()) {
    if (messages.length === MAX_MESSAGES) cursor.fault(`APPEND has more than ${MAX_MESSAGES} messages`);
    messages.push(readMessage(cursor));
  }
  return { name: 'APPEND', mailbox, messages };
}

export function readReplace(cursor: CommandCursor, uid: boolean): Command {
  const what = uid ? 'the UID of a message' : 'the number of a message';
  cursor.space(what);
  const number: SetNumber = cursor.take('*') ? '*' : cursor.positive(what);
  cursor.space(MAILBOX);
  const mailbox = cursor.mailbox();
  cursor.space(MESSAGE);
  return { name: 'REPLACE', uid, number, mailbox, message: readMessage(cursor) };
}

const UTF8 = /UTF8 +\( */iy;

function readMessage(cursor: CommandCursor): AppendMessage {
  let flags: string[] = [];
  if (cursor.nextIs('(')) {
    flags = readFlagList(cursor);
    cursor.space(MESSAGE);
  }
  let internalDate: Date | null = null;
  if (cursor.nextIs('"')) {
    const what = 'a date, such as "22-Nov-2026 10:00:00 +0000"';
    internalDate = readDateTime(cursor.string() ?? cursor.needs(what)) ?? cursor.needs(what);
    cursor.space(MESSAGE);
  }
  const isUtf8 = cursor.match(UTF8) !== null;
  const bytes = cursor.literal() ?? cursor.needs(MESSAGE);
  if (isUtf8) {
    cursor.more();
    if (!cursor.take(')')) cursor.needs('a ) after UTF8 and the message');
  }
  return { flags, internalDate, bytes };
}
