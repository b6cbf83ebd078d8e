import type { AppendMessage } from '../../../rfc/imap/command.ts';
import { formatSet } from '../../../rfc/imap/format-numbers.ts';
import type { AppendResult, NewMessage } from '../../../store/append.ts';
import { normalFolderName } from '../../../store/folder-name.ts';
import type { FolderRef } from '../../../store/locked-folders.ts';
import { readFlags } from '../flags.ts';
import { noTarget, TRY_CREATE } from '../mailbox-responses.ts';
import { type LaterResponse, type TaggedResponse, RESPONSES, bad, no, ok } from '../responses.ts';
import type { SignedInSession } from '../session.ts';
import type { Named } from './entry.ts';

type Stored = Extract<AppendResult, { outcome: 'stored' }>;
export type AppendFailure = Exclude<AppendResult, Stored>['outcome'];

const FAILURES: Readonly<Record<AppendFailure, TaggedResponse>> = {
  'no-mailbox': RESPONSES.noMailbox,
  'no-folder': TRY_CREATE,
  'over-quota': no('OVERQUOTA', 'The message exceeds the quota of the mailbox'),
  'over-storage': no('OVERQUOTA', 'The message exceeds the storage limit of the plan'),
  'bad-keywords': no('LIMIT', 'Too many keywords, or a keyword is too long'),
  'already-there': RESPONSES.tryAgain,
};

/**
 * APPEND of one or several messages (RFC 9051, section 6.3.12; RFC 3502). Stores either all messages or none. If there is only one
 * message, the command loop may read the next APPEND before the message is stored.
 */
export async function append(
  session: SignedInSession,
  command: Named<'APPEND'>,
): Promise<TaggedResponse | LaterResponse> {
  const { store, blobs } = session.services;
  const name = normalFolderName(command.mailbox);
  if (name === null) return noTarget(command.mailbox);
  const messages: NewMessage[] = [];
  // Attack: rejected messages fill the disk with large objects, which would otherwise be deleted after a day.
  const rejected = async (answer: TaggedResponse): Promise<TaggedResponse> => {
    for (const { blob } of messages) await blobs.discard(blob).catch(() => {});
    return answer;
  };
  for (const message of command.messages) {
    const made = await newMessage(session, { name }, message);
    if ('status' in made) return rejected(made);
    messages.push(made);
  }
  const respond = async (results: readonly AppendResult[]): Promise<TaggedResponse> => {
    const stored = results.filter((result) => result.outcome === 'stored');
    const failed = results.find((result) => result.outcome !== 'stored');
    if (failed !== undefined) return rejected(FAILURES[failed.outcome]);
    for (const { folderId } of stored) noteTarget(session, folderId);
    return ok('Appended', appendUid(stored));
  };
  const [message] = messages;
  // Several messages are stored in a commit of their own, so that either all or none are stored.
  if (message === undefined || messages.length > 1) return respond(await store.appendWhole(messages));
  return { later: session.appends.add(message).then((result) => respond([result])) };
}

/** Stores the bytes of an appended message. @returns the message for the store, or the response that rejects it */
export async function newMessage(
  { services, mailbox: { projectId, mailboxId } }: SignedInSession,
  folder: FolderRef,
  { bytes, flags, internalDate }: AppendMessage,
): Promise<NewMessage | TaggedResponse> {
  // An empty message cancels an APPEND of several messages (RFC 3502, section 6.3.11).
  if (bytes.length === 0) return no(null, 'The message is empty');
  const read = readFlags(flags);
  if (read === null) return bad('Unknown system flag');
  // Read the facts before the object is written, so that no object is left behind if reading fails.
  const facts = await services.facts.read(bytes);
  return {
    projectId,
    mailboxId,
    ...read,
    folder,
    internalDate,
    blob: await services.blobs.prepare(projectId, bytes),
    facts,
    authentication: null,
    spam: null,
  };
}

/** Makes the session report new messages in the selected folder before the tagged response, without waiting for a notice from the store. */
export function noteTarget({ selected }: SignedInSession, folderId: string): void {
  if (selected?.key.folderId === folderId) selected.noteChange();
}

/** The APPENDUID response code (RFC 4315, section 3). @param stored messages of one folder, in order */
export function appendUid(stored: readonly Stored[]): string {
  return `APPENDUID ${stored[0]?.uidValidity} ${formatSet(stored.map(({ uid }) => uid))}`;
}

export function appendRefusal(outcome: AppendFailure): TaggedResponse {
  return FAILURES[outcome];
}
