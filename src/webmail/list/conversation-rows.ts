/** Builds the rows of conversation lists. */
import {
  type ConversationRow,
  MAX_ROW_MESSAGES,
  MAX_ROW_PEOPLE,
  type MailPerson,
} from '../../contract/mail/conversations.ts';
import type { Database } from '../../db/database.ts';
import { encodeId } from '../../model/ids.ts';
import type { MessageFacts } from '../../store/facts/message-facts.ts';
import { FLAG } from '../../store/flags.ts';
import type { FolderKey } from '../../store/in-folder.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { marksOf } from '../labels/keywords.ts';
import { type AnswerOf, readAnswers } from './answers.ts';
import type { ListedConversation } from './conversation-page.ts';
import { conversationSubject } from './conversation-subject.ts';
import { type NewestMessage, readNewest, readThreadMessages, type ThreadMessage } from './thread-messages.ts';

/** The maximum number of recipients in a row. A message may have ten thousand recipients. */
const MAX_TO = 10;

/** The rows of a folder, in the order of `listed`. */
export async function folderRows(
  database: Database,
  folder: FolderKey,
  listed: readonly ListedConversation[],
): Promise<ConversationRow[]> {
  const { folderId } = folder;
  const threadIds = listed.map(({ threadId }) => threadId);
  const messages = await readThreadMessages(database, folder, threadIds, [folderId]);
  const newest = await readNewest(
    database,
    folder,
    listed.map(({ threadId, newestUid }) => ({ threadId, folderId, uid: newestUid })),
  );
  const answerOf = await readAnswers(database, folder, threadIds);
  return listed.flatMap((row) => {
    const top = newest.get(row.threadId);
    // The message was removed between two of the statements above. The next request for changes reports the removal to the client.
    if (top === undefined) return [];
    return rowOf({ ...row, folderId, top, answerOf }, row, messages.get(row.threadId) ?? []);
  });
}

/** The rows of threads, limited to some folders. Threads with no message in these folders are omitted. */
export async function threadRows(
  database: Database,
  mailbox: MailboxKey,
  threadIds: readonly string[],
  folderIds: readonly string[],
): Promise<ConversationRow[]> {
  const messages = await readThreadMessages(database, mailbox, threadIds, folderIds);
  const positions = threadIds.flatMap((threadId) => {
    const [top] = messages.get(threadId) ?? [];
    return top === undefined ? [] : { threadId, folderId: top.folderId, uid: top.uid };
  });
  const newest = await readNewest(database, mailbox, positions);
  const answerOf = await readAnswers(database, mailbox, threadIds);
  return positions.flatMap(({ threadId }) => {
    const top = newest.get(threadId);
    const each = eachOnce(messages.get(threadId) ?? []);
    return top === undefined ? [] : rowOf({ threadId, folderId: null, top, answerOf }, countsOf(each), each);
  });
}

/** Removes duplicates: copies of a message in several folders count as one message. */
function eachOnce(messages: readonly ThreadMessage[]): ThreadMessage[] {
  return [...new Map(messages.toReversed().map((message) => [message.objectId, message])).values()].reverse();
}

type Counts = Pick<ListedConversation, 'messages' | 'unseen' | 'flagged' | 'drafts' | 'files'>;

function countsOf(messages: readonly ThreadMessage[]): Counts {
  const count = (is: (message: ThreadMessage) => boolean) => messages.filter(is).length;
  return {
    messages: messages.length,
    unseen: count(({ flags }) => (flags & FLAG.seen) === 0),
    flagged: count(({ flags }) => (flags & FLAG.flagged) !== 0),
    drafts: count(({ flags }) => (flags & FLAG.draft) !== 0),
    files: count(({ attachments }) => attachments > 0),
  };
}

interface RowSource {
  threadId: string;
  /** Null: the messages of several folders are in one row. */
  folderId: string | null;
  top: NewestMessage;
  answerOf: AnswerOf;
}

function rowOf(
  { threadId, folderId, top: newest, answerOf }: RowSource,
  counts: Counts,
  messages: readonly ThreadMessage[],
): ConversationRow {
  const ids = new Set([newest.objectId, ...messages.map(({ objectId }) => objectId)]);
  return {
    id: encodeId('thr', threadId),
    folder: folderId === null ? null : encodeId('fld', folderId),
    subject: conversationSubject(newest.subject),
    preview: newest.preview,
    newest_at: newest.receivedAt.toISOString(),
    messages: counts.messages,
    unread: counts.unseen,
    starred: counts.flagged,
    answered: (newest.flags & FLAG.answered) !== 0,
    answered_by: answerOf({ ...newest, threadId }),
    has_file: counts.files > 0,
    has_draft: counts.drafts > 0,
    ...marksOf(messages.flatMap(({ keywords }) => keywords)),
    snoozed_until: latestSnooze(messages),
    from: authorsOf(messages),
    to: newest.to.slice(0, MAX_TO).map(personOf),
    message_ids: [...ids].slice(0, MAX_ROW_MESSAGES).map((id) => encodeId('msg', id)),
  };
}

/** @param messages newest first */
function latestSnooze(messages: readonly Pick<ThreadMessage, 'snoozedUntil'>[]): string | null {
  const until = messages.find(({ snoozedUntil }) => snoozedUntil !== null)?.snoozedUntil ?? null;
  return until === null ? null : new Date(until).toISOString();
}

/** @param messages newest first */
function authorsOf(messages: readonly ThreadMessage[]): ConversationRow['from'] {
  const authors = new Map<string, ConversationRow['from'][number]>();
  for (const { from, flags } of messages) {
    if (from === null) continue;
    const key = from.address.toLowerCase();
    const isUnread = (flags & FLAG.seen) === 0;
    const known = authors.get(key);
    if (known === undefined) authors.set(key, { ...personOf(from), unread: isUnread });
    else if (isUnread) known.unread = true;
  }
  const all = [...authors.values()];
  const kept = new Set(
    [...all.filter(({ unread }) => unread), ...all.filter(({ unread }) => !unread)].slice(0, MAX_ROW_PEOPLE),
  );
  return all.filter((author) => kept.has(author)).reverse();
}

export function personOf({ name, address }: MessageFacts['from'][number]): MailPerson {
  return { name: name === '' ? null : name, address };
}
