import { isDatabaseAway } from '../../db/database.ts';
import type { Command } from '../../rfc/imap/command.ts';
import type { CommandPiece } from '../../rfc/imap/command-piece.ts';
import { parseCommand } from '../../rfc/imap/parse-command.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { CommandEntry } from './commands/entry.ts';
import { COMMANDS } from './commands/index.ts';
import { type TaggedResponse, RESPONSES, bad } from './responses.ts';
import type { FolderSession, OwnSession, ImapSession } from './session.ts';

/** Does what a command asks, and tells the news that may stand before its answer. */
export async function obey(
  session: ImapSession,
  pieces: readonly CommandPiece[],
): Promise<{ tag: string; answer: TaggedResponse; command: Command['name'] | null }> {
  const parsed = parseCommand(pieces, { utf8: session.isUtf8 });
  if ('fault' in parsed) {
    const { tag, fault, response } = parsed;
    return { tag: tag ?? '*', answer: { status: response, code: null, text: fault }, command: null };
  }
  const { tag, command } = parsed;
  const done = (answer: TaggedResponse) => ({ tag, answer, command: command.name });
  session.tag = tag;
  // Each entry of the table takes the command of its own name.
  const entry = (COMMANDS as Record<Command['name'], CommandEntry<Command>>)[command.name];
  try {
    return done(await run(session, entry, command));
  } catch (error) {
    noteFailure(session, command, error);
    return done(RESPONSES.tryAgain);
  }
}

/** The news that the command was to tell may not have been told. */
function noteFailure({ selected, services }: ImapSession, { name: command }: Command, error: unknown): void {
  selected?.noteChange();
  // Its own line says that the database is away, once.
  if (!isDatabaseAway(error)) services.logger.error({ err: error, command }, LOG_MESSAGES.imapCommandFailed);
}

async function run(
  session: ImapSession,
  entry: CommandEntry<Command>,
  command: Command,
): Promise<TaggedResponse> {
  const answer = whyNot(session, entry) ?? (await start(session, entry, command));
  const { tells = 'everything', looks = false } = entry;
  try {
    await session.tell(typeof tells === 'function' ? tells(command) : tells, looks);
  } catch (error) {
    // What is done is done: a client that hears NO appends or copies once more.
    noteFailure(session, command, error);
  }
  session.tellModseq();
  return answer;
}

function start(
  session: ImapSession,
  entry: CommandEntry<Command>,
  command: Command,
): Promise<TaggedResponse> {
  switch (entry.in) {
    case 'signed-in':
      return entry.run(session as OwnSession, command);
    case 'selected':
      return entry.run(session as FolderSession, command);
    default:
      return entry.run(session, command);
  }
}

function whyNot(
  { mailbox, selected }: ImapSession,
  { in: state, writes }: CommandEntry<Command>,
): TaggedResponse | null {
  if (state === 'before' && mailbox !== null) return bad('You are signed in already');
  if (state !== 'any' && state !== 'before' && mailbox === null) return bad('Sign in first');
  if (state === 'selected' && selected === null) return bad('Select a mailbox first');
  if (writes !== undefined && mailbox?.access === 'read') return RESPONSES.noPermission;
  if (writes === 'folder' && selected?.isReadOnly === true) return RESPONSES.readOnly;
  return null;
}
