import type { Command } from '../../../rfc/imap/command.ts';
import type { TaggedResponse } from '../responses.ts';
import type { FolderSession, OwnSession, ImapSession, Telling } from '../session.ts';

/** `Named<'LOGIN'>`: what the parser gives for LOGIN. */
export type Named<Name extends Command['name'], Each = Command> = Each extends Command
  ? [Name & Each['name']] extends [never]
    ? never
    : Each
  : never;

/** The state of a session in which a command is allowed (RFC 9051, section 3), and what it does. */
type CommandHandler<Asked> =
  | { in: 'any' | 'before'; run(session: ImapSession, command: Asked): Promise<TaggedResponse> }
  | { in: 'signed-in'; run(session: OwnSession, command: Asked): Promise<TaggedResponse> }
  | { in: 'selected'; run(session: FolderSession, command: Asked): Promise<TaggedResponse> };

export type CommandEntry<Asked> = CommandHandler<Asked> & {
  /** A password for reading is not enough; `folder`: nor is a folder that was opened by EXAMINE. */
  writes?: 'mailbox' | 'folder';
  /** Default: `everything`. */
  tells?: Telling | ((command: Asked) => Telling);
  /** The store is asked for news though no notice came: what the client heard from another session must be in them. */
  looks?: true;
};
