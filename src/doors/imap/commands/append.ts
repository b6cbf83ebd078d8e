import type { AppendMessage } from '../../../rfc/imap/command.ts';
import { formatSet } from '../../../rfc/imap/format-numbers.ts';
import type { AppendResult, NewMessage } from '../../../store/append.ts';
import { MAX_FOLDER_KEYWORDS, MAX_KEYWORD_LENGTH, MAX_KEYWORDS } from '../../../store/flags.ts';
import { normalFolderName } from '../../../store/folder-name.ts';
import type { FolderRequest } from '../../../store/locked-folders.ts';
import { accountOf, READ_GRANT } from '../accounts.ts';
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
  'already-there': RESPONSES.tryAgain,
};

/**
 * How many messages of one APPEND are parsed before other sessions are served. Attack: a command with thousands of small messages delays
 * all other sessions.
 */
const PARSED_AT_A_TIME = 8;
/** How many messages of one APPEND may wait for their object or for the thread that parses large messages. */
const MAX_STARTED = 8;

/**
 * APPEND of one or several messages (RFC 9051, section 6.3.12; RFC 3502). Stores either all messages or none. If there is only one
 * message, the command loop may read the next APPEND before the message is parsed and stored.
 */
export async function append(
  session: SignedInSession,
  command: Named<'APPEND'>,
): Promise<TaggedResponse | LaterResponse> {
  const { account, name: inAccount } = await accountOf(
    session.mailbox,
    session.services.store,
    command.mailbox,
  );
  const name = normalFolderName(inAccount);
  if (name === null) return noTarget(inAccount);
  if (!account.mayWrite) return READ_GRANT;
  const target = { ...account.key, folder: { name } };
  const [message, ...others] = command.messages;
  if (message === undefined || others.length > 0) return appendAll(session, target, command.messages);
  const made = newMessage(session, target, message);
  const earlier = session.appending;
  // Messages get their UIDs in the order of the commands, although small messages are parsed faster than large messages.
  const stored = Promise.allSettled([made, earlier]).then(async () => {
    const ready = await made;
    return 'status' in ready ? ready : { message: ready, result: session.appends.add(ready) };
  });
  session.appending = stored;
  const respond = async (): Promise<TaggedResponse> => {
    const outcome = await stored;
    return 'status' in outcome ? outcome : answer(session, [outcome.message], [await outcome.result]);
  };
  return { later: respond() };
}

/**
 * Stores several messages in a commit of their own, so that either all or none are stored. A thread parses large messages while small
 * messages are parsed here.
 */
async function appendAll(
  session: SignedInSession,
  target: FolderRequest,
  all: Named<'APPEND'>['messages'],
): Promise<TaggedResponse> {
  const started: Promise<NewMessage | TaggedResponse>[] = [];
  for (const [at, message] of all.entries()) {
    const making = newMessage(session, target, message);
    // An error is handled when all messages have settled.
    making.catch(() => {});
    started.push(making);
    if (at % PARSED_AT_A_TIME === PARSED_AT_A_TIME - 1) await new Promise(setImmediate);
    if (at >= MAX_STARTED) await Promise.allSettled([started[at - MAX_STARTED]]);
  }
  const made = await Promise.allSettled(started);
  const outcomes = made.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const messages = outcomes.flatMap((each) => ('status' in each ? [] : [each]));
  const refusal = outcomes.find((each) => 'status' in each);
  if (refusal !== undefined) return rejected(session, messages, refusal);
  const failure = made.find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') {
    await rejected(session, messages, RESPONSES.tryAgain);
    throw failure.reason;
  }
  return answer(session, messages, await session.services.store.appendWhole(messages));
}

async function answer(
  session: SignedInSession,
  messages: readonly NewMessage[],
  results: readonly AppendResult[],
): Promise<TaggedResponse> {
  const stored = results.filter((result) => result.outcome === 'stored');
  const failed = results.find((result) => result.outcome !== 'stored');
  if (failed !== undefined) return rejected(session, messages, FAILURES[failed.outcome]);
  for (const { folderId } of stored) noteTarget(session, folderId);
  return ok(`Appended${withoutKeywords(stored)}`, appendUid(stored));
}

/** The maximum number of keywords that a response names. */
const MAX_NAMED = 5;

/** Says which keywords were left out, because a client that copies a mailbox should not lose the message because of its keywords. */
export function withoutKeywords(stored: readonly Stored[]): string {
  const leftOut = [...new Set(stored.flatMap(({ leftOutKeywords }) => leftOutKeywords))];
  if (leftOut.length === 0) return '';
  const more = leftOut.length > MAX_NAMED ? ` and ${leftOut.length - MAX_NAMED} more` : '';
  return ` without the keywords ${leftOut.slice(0, MAX_NAMED).join(' ')}${more}: limits are ${MAX_KEYWORDS} on a message, ${MAX_FOLDER_KEYWORDS} in a folder, ${MAX_KEYWORD_LENGTH} characters each`;
}

/** Attack: rejected messages fill the disk with large objects, which would otherwise be deleted after a day. */
async function rejected(
  { services }: SignedInSession,
  messages: readonly NewMessage[],
  response: TaggedResponse,
): Promise<TaggedResponse> {
  for (const { blob } of messages) await services.blobs.discard(blob).catch(() => {});
  return response;
}

/** Stores the bytes of an appended message. @returns the message for the store, or the response that rejects it */
export async function newMessage(
  { services }: Pick<SignedInSession, 'services'>,
  { projectId, mailboxId, folder }: FolderRequest,
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
