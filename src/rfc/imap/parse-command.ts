import { readAppend, readReplace } from './append-arguments.ts';
import type { Command } from './command.ts';
import { CommandCursor, CommandFault } from './command-cursor.ts';
import type { CommandPiece } from './command-piece.ts';
import { readList, readLsub } from './list-arguments.ts';
import * as mailbox from './mailbox-arguments.ts';
import { readExpunge, readFetch, readCopyOrMove, readStore } from './message-arguments.ts';
import { readSearch, readSort, readThread } from './search-arguments.ts';
import * as session from './session-arguments.ts';

export type ParsedCommand =
  | { tag: string; command: Command }
  /**
   * `fault` is a sentence without its full stop. `response` is BAD for an unknown, malformed or incomplete command, and NO for a valid
   * command with a name that cannot exist. `tag` is null if the line has no valid tag.
   */
  | { tag: string | null; fault: string; response: 'BAD' | 'NO' };

export interface ParseOptions {
  /** Whether the session has enabled UTF8=ACCEPT or IMAP4rev2, so that mailbox names are in UTF-8. */
  utf8: boolean;
}

type Read = (cursor: CommandCursor, uid: boolean) => Command;

const PLAIN = [
  'CAPABILITY',
  'NOOP',
  'LOGOUT',
  'STARTTLS',
  'CLOSE',
  'UNSELECT',
  'CHECK',
  'IDLE',
  'NAMESPACE',
] as const;

/** Commands that also exist with the prefix UID. */
const MESSAGES: readonly (readonly [string, Read])[] = [
  ['FETCH', readFetch],
  ['STORE', readStore],
  ['COPY', readCopyOrMove('COPY')],
  ['MOVE', readCopyOrMove('MOVE')],
  ['EXPUNGE', readExpunge],
  ['SEARCH', readSearch],
  ['SORT', readSort],
  ['THREAD', readThread],
  ['REPLACE', readReplace],
];

const UID_COMMANDS: ReadonlyMap<string, Read> = new Map(MESSAGES);
const COMMANDS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ...PLAIN.map((name) => [name, () => ({ name })] as const),
  ...MESSAGES,
  ['AUTHENTICATE', session.readAuthenticate],
  ['LOGIN', session.readLogin],
  ['ID', session.readId],
  ['ENABLE', session.readEnable],
  ['COMPRESS', session.readCompress],
  ['SELECT', mailbox.readSelect('SELECT')],
  ['EXAMINE', mailbox.readSelect('EXAMINE')],
  ['CREATE', mailbox.readCreate],
  ['DELETE', mailbox.readNamed('DELETE')],
  ['RENAME', mailbox.readRename],
  ['SUBSCRIBE', mailbox.readNamed('SUBSCRIBE')],
  ['UNSUBSCRIBE', mailbox.readNamed('UNSUBSCRIBE')],
  ['STATUS', mailbox.readStatus],
  ['GETQUOTA', mailbox.readGetQuota],
  ['GETQUOTAROOT', mailbox.readNamed('GETQUOTAROOT')],
  ['SETQUOTA', mailbox.readSetQuota],
  ['GETACL', mailbox.readNamed('GETACL')],
  ['MYRIGHTS', mailbox.readNamed('MYRIGHTS')],
  ['LISTRIGHTS', mailbox.readIdentified('LISTRIGHTS')],
  ['DELETEACL', mailbox.readIdentified('DELETEACL')],
  ['SETACL', mailbox.readSetAcl],
  ['LIST', readList],
  ['LSUB', readLsub],
  ['APPEND', readAppend],
]);

/** A tag, which consists of ASTRING-CHAR characters except `+` (RFC 9051, section 9). */
const TAG = /[!#$&',\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]{1,255}(?= |$)/y;

/**
 * Parses one command (RFC 9051, section 9). Never throws. Takes time and memory in proportion to the octets of the command, and limits all
 * repetition and nesting.
 * @param pieces the pieces of the complete command, the last of which has no literal
 */
export function parseCommand(pieces: readonly CommandPiece[], { utf8 }: ParseOptions): ParsedCommand {
  const cursor = new CommandCursor(pieces, utf8);
  const tag = cursor.match(TAG);
  if (tag === null)
    return { tag, fault: 'A command must begin with a tag, such as a1, and a space', response: 'BAD' };
  try {
    const command = readCommand(cursor);
    cursor.end();
    return { tag, command };
  } catch (error) {
    if (!(error instanceof CommandFault)) throw error;
    return { tag, fault: error.message, response: error.response };
  }
}

function readCommand(cursor: CommandCursor): Command {
  cursor.space('a name after the tag, such as NOOP');
  const name = cursor.word('a name after the tag, such as NOOP');
  if (name !== 'UID') return (COMMANDS.get(name) ?? unknown(cursor, name))(naming(cursor, name), false);
  cursor.space('a command after UID, such as FETCH');
  const uidName = cursor.word('a command after UID, such as FETCH');
  const read = UID_COMMANDS.get(uidName) ?? unknown(cursor, `UID ${uidName}`);
  return read(naming(cursor, `UID ${uidName}`), true);
}

function unknown(cursor: CommandCursor, name: string): never {
  return cursor.fault(`There is no command ${name.slice(0, 30)}`);
}

function naming(cursor: CommandCursor, name: string): CommandCursor {
  cursor.command = name;
  return cursor;
}
