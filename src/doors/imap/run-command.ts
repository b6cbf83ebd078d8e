import { isDatabaseAway } from '../../db/database.ts';
import type { Command } from '../../rfc/imap/command.ts';
import type { CommandPiece } from '../../rfc/imap/command-piece.ts';
import { parseCommand } from '../../rfc/imap/parse-command.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { CommandEntry } from './commands/entry.ts';
import { COMMANDS } from './commands/index.ts';
import { type TaggedResponse, RESPONSES, bad } from './responses.ts';
import type { FolderSession, SignedInSession, ImapSession } from './session.ts';

/** Runs a command and sends the updates that may precede the tagged response. @returns the tagged response, for the caller to send */
export async function runCommand(
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
  // TypeScript cannot express that the entry for a name accepts the command of that name.
  const entry = (COMMANDS as Record<Command['name'], CommandEntry<Command>>)[command.name];
  try {
    return done(await run(session, entry, command));
  } catch (error) {
    noteFailure(session, command, error);
    return done(RESPONSES.tryAgain);
  }
}

/** Logs a failed command, and schedules another `sync`, because updates may not have been sent. */
function noteFailure({ selected, services }: ImapSession, { name: command }: Command, error: unknown): void {
  selected?.noteChange();
  // A database outage is logged once, by another part of the process.
  if (!isDatabaseAway(error)) services.logger.error({ err: error, command }, LOG_MESSAGES.imapCommandFailed);
}

async function run(
  session: ImapSession,
  entry: CommandEntry<Command>,
  command: Command,
): Promise<TaggedResponse> {
  const answer = checkState(session, entry) ?? (await start(session, entry, command));
  const { updates = 'everything', pollsStore = false } = entry;
  try {
    await session.sendUpdates(typeof updates === 'function' ? updates(command) : updates, pollsStore);
  } catch (error) {
    // The command itself succeeded. After NO, the client would append or copy the message a second time.
    noteFailure(session, command, error);
  }
  session.sendHighestModseq();
  return answer;
}

function start(
  session: ImapSession,
  entry: CommandEntry<Command>,
  command: Command,
): Promise<TaggedResponse> {
  switch (entry.in) {
    case 'signed-in':
      return entry.run(session as SignedInSession, command);
    case 'selected':
      return entry.run(session as FolderSession, command);
    default:
      return entry.run(session, command);
  }
}

/** @returns null if the command is allowed in the state of the session */
function checkState(
  { mailbox, selected }: ImapSession,
  { in: state, writes }: CommandEntry<Command>,
): TaggedResponse | null {
  if (state === 'before' && mailbox !== null) return bad('Already signed in');
  if (state !== 'any' && state !== 'before' && mailbox === null) return bad('Sign in first');
  if (state === 'selected' && selected === null) return bad('Select a mailbox first');
  if (writes !== undefined && mailbox?.access === 'read') return RESPONSES.noPermission;
  if (writes === 'folder' && selected?.isReadOnly === true) return RESPONSES.readOnly;
  return null;
}
