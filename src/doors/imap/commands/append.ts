import type { AppendMessage } from '../../../rfc/imap/command.ts';
import { formatSet } from '../../../rfc/imap/format-numbers.ts';
import type { AppendResult, NewMessage } from '../../../store/append.ts';
import { readFlags } from '../flags.ts';
import { noTarget, TRY_CREATE } from '../folder-answers.ts';
import { type TaggedResponse, RESPONSES, bad, no, ok } from '../responses.ts';
import type { OwnFolder } from '../selected-folder.ts';
import type { OwnSession } from '../session.ts';
import type { Named } from './entry.ts';

type Stored = Extract<AppendResult, { outcome: 'stored' }>;
export type AppendFailure = Exclude<AppendResult, Stored>['outcome'];

const FAILURES: Readonly<Record<AppendFailure, TaggedResponse>> = {
  'no-mailbox': RESPONSES.noMailbox,
  'no-folder': TRY_CREATE,
  'over-quota': no('OVERQUOTA', 'The mailbox has no room for this'),
  'over-storage': no('OVERQUOTA', 'The plan has no room for this'),
  'bad-keywords': no('LIMIT', 'These are too many keywords, or too long ones'),
  'already-there': RESPONSES.tryAgain,
};

/** APPEND of one message or of several (RFC 9051, section 6.3.12; RFC 3502): all or none. */
export async function append(session: OwnSession, command: Named<'APPEND'>): Promise<TaggedResponse> {
  const { store } = session.services;
  const folder = await session.findFolder(command.mailbox);
  if (folder === null) return noTarget(command.mailbox);
  const messages: NewMessage[] = [];
  for (const message of command.messages) {
    const made = await newMessage(session, folder, message);
    if ('status' in made) return made;
    messages.push(made);
  }
  // What comes alone shares a commit with others.
  const results = await (messages.length === 1 ? store.append(messages) : store.appendWhole(messages));
  const stored = results.filter((result) => result.outcome === 'stored');
  const failed = results.find((result) => result.outcome !== 'stored');
  if (failed !== undefined) return FAILURES[failed.outcome];
  noteTarget(session, folder);
  return ok('Appended', appendUid(stored));
}

/** What a client appends, ready for the store; or why it is not taken. */
export async function newMessage(
  { services }: OwnSession,
  { key: { projectId, mailboxId, folderId } }: OwnFolder,
  { bytes, flags, internalDate }: AppendMessage,
): Promise<NewMessage | TaggedResponse> {
  // RFC 3502, section 6.3.11: a message without an octet stands for a client that has thought better of it.
  if (bytes.length === 0) return no(null, 'A message without an octet is none');
  const read = readFlags(flags);
  if (read === null) return bad('There is no such flag');
  return {
    projectId,
    mailboxId,
    ...read,
    folder: { id: folderId },
    internalDate,
    blob: await services.blobs.keep(projectId, bytes),
    facts: await services.facts.read(bytes),
    authentication: null,
    spam: null,
  };
}

/** A session that has the folder open is told of it before the answer, not when the notice comes. */
export function noteTarget({ selected }: OwnSession, { id }: OwnFolder): void {
  if (selected?.key.folderId === id) selected.noteChange();
}

/** RFC 4315, section 3. All are of one folder, in order. */
export function appendUid(stored: readonly Stored[]): string {
  return `APPENDUID ${stored[0]?.uidValidity} ${formatSet(stored.map(({ uid }) => uid))}`;
}

export function whyNotAppended(outcome: AppendFailure): TaggedResponse {
  return FAILURES[outcome];
}
