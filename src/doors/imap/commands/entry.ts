import type { Command } from '../../../rfc/imap/command.ts';
import type { LaterResponse, TaggedResponse } from '../responses.ts';
import type { FolderSession, SignedInSession, ImapSession, UpdatePolicy } from '../session.ts';

/** The parsed command with a given name, such as `Named<'LOGIN'>`. */
export type Named<Name extends Command['name'], Each = Command> = Each extends Command
  ? [Name & Each['name']] extends [never]
    ? never
    : Each
  : never;

/** The session state in which a command is allowed (RFC 9051, section 3), and its handler. */
type CommandHandler<One> =
  | { in: 'any' | 'before'; run(session: ImapSession, command: One): Promise<TaggedResponse> }
  | { in: 'signed-in'; run(session: SignedInSession, command: One): Promise<TaggedResponse | LaterResponse> }
  | { in: 'selected'; run(session: FolderSession, command: One): Promise<TaggedResponse> };

export type CommandEntry<One> = CommandHandler<One> & {
  /**
   * Set for commands that change mail. A session with a read-only app password rejects such commands. A command with `folder` is also
   * rejected in a folder opened by EXAMINE.
   */
  writes?: 'mailbox' | 'folder';
  /** The updates sent before the tagged response. Default: `everything`. */
  updates?: UpdatePolicy | ((command: One) => UpdatePolicy);
  /** Polls the store for updates even without a notice, so that the updates include every change that another session has confirmed. */
  pollsStore?: true;
};
