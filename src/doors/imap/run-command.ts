import { isDatabaseAway } from '../../db/database.ts';
import type { Command } from '../../rfc/imap/command.ts';
import type { CommandPiece } from '../../rfc/imap/command-piece.ts';
import { parseCommand } from '../../rfc/imap/parse-command.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { GRANT_ENDED, READ_GRANT } from './accounts.ts';
import type { CommandEntry } from './commands/entry.ts';
import { COMMANDS } from './commands/index.ts';
import { type LaterResponse, type TaggedResponse, RESPONSES, bad } from './responses.ts';
import type { FolderSession, SignedInSession, ImapSession } from './session.ts';

/** A command whose handler has run. If `isPending`, the commit that its response depends on may still be in progress. */
export interface StartedCommand {
  tag: string;
  name: Command['name'] | null;
  /** Whether the next command may be read before `finish`. */
  isPending: boolean;
  /**
   * Sends the updates that may precede the tagged response. Call this after all earlier commands have been answered.
   * @returns the tagged response, for the caller to send. Never rejects
   */
  finish(): Promise<TaggedResponse>;
}

/**
 * Runs a command.
 * @param answered resolves when all earlier commands have been answered. Only an APPEND of one message starts before that
 */
export async function startCommand(
  session: ImapSession,
  pieces: readonly CommandPiece[],
  answered: Promise<void>,
): Promise<StartedCommand> {
  const parsed = parseCommand(pieces, { utf8: session.isUtf8 });
  if ('fault' in parsed) {
    const { tag, fault, response } = parsed;
    const answer = { status: response, code: null, text: fault };
    return { tag: tag ?? '*', name: null, isPending: false, finish: async () => answer };
  }
  const { tag, command } = parsed;
  const { name } = command;
  if (name !== 'APPEND' || command.messages.length > 1) await answered;
  session.tag = tag;
  // TypeScript cannot express that the entry for a name accepts the command of that name.
  const entry = (COMMANDS as Record<Command['name'], CommandEntry<Command>>)[name];
  const started = await settled(session, command, async () => {
    return (
      checkState(session, entry) ?? (await checkGrant(session)) ?? (await start(session, entry, command))
    );
  });
  if (!('later' in started))
    return { tag, name, isPending: false, finish: () => finish(session, entry, command, started) };
  const response = settled(session, command, () => started.later);
  return {
    tag,
    name,
    isPending: true,
    finish: async () => finish(session, entry, command, await response),
  };
}

/** Returns `tryAgain` if `work` fails. */
async function settled<Response>(
  session: ImapSession,
  command: Command,
  work: () => Promise<Response>,
): Promise<Response | TaggedResponse> {
  try {
    return await work();
  } catch (error) {
    noteFailure(session, command, error);
    return RESPONSES.tryAgain;
  }
}

/** Logs a failed command, and schedules another `sync`, because updates may not have been sent. */
function noteFailure({ selected, services }: ImapSession, { name: command }: Command, error: unknown): void {
  selected?.noteChange();
  // A database outage is logged once, by another part of the process.
  if (!isDatabaseAway(error)) services.logger.error({ err: error, command }, LOG_MESSAGES.imapCommandFailed);
}

async function finish(
  session: ImapSession,
  entry: CommandEntry<Command>,
  command: Command,
  answer: TaggedResponse,
): Promise<TaggedResponse> {
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
): Promise<TaggedResponse | LaterResponse> {
  switch (entry.in) {
    case 'signed-in':
      return entry.run(session as SignedInSession, command);
    case 'selected':
      return entry.run(session as FolderSession, command);
    default:
      return entry.run(session, command);
  }
}

/**
 * Reads the grant of the selected folder, because messages that arrive after the grant was revoked must not be shown. Commands that name a
 * folder read its grant in `accountOf`.
 * @returns null if the folder belongs to the session, or if the grant is unchanged. Otherwise the session has ended
 */
async function checkGrant({ mailbox, selected, selectedGrant }: ImapSession): Promise<TaggedResponse | null> {
  if (mailbox === null || selected === null || selectedGrant === null) return null;
  return (await mailbox.useGrant(selected.key.mailboxId, selectedGrant.access)) ? null : GRANT_ENDED;
}

/** @returns null if the command is allowed in the state of the session */
function checkState(
  { mailbox, selected, selectedGrant }: ImapSession,
  { in: state, writes }: CommandEntry<Command>,
): TaggedResponse | null {
  if (state === 'before' && mailbox !== null) return bad('Already signed in');
  if (state !== 'any' && state !== 'before' && mailbox === null) return bad('Sign in first');
  if (state === 'selected' && selected === null) return bad('Select a mailbox first');
  if (writes !== undefined && mailbox?.access === 'read') return RESPONSES.noPermission;
  if (writes === 'folder' && selected?.isReadOnly === true)
    return selectedGrant?.access === 'read' ? READ_GRANT : RESPONSES.readOnly;
  return null;
}
