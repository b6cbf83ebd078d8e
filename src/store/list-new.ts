/** Adds new messages to the list of conversations, in the statement that writes the messages. */
import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte } from '../db/cte.ts';
import { rowsOf } from '../db/rows.ts';
import { FLAG, isPinned } from './flags.ts';
import type { LockedFolder } from './locked-folders.ts';

interface NewInFolder {
  folderRow: LockedFolder;
  threadId: string;
  uid: number;
  internalDate: Date;
  flags: number;
  keywords: readonly string[];
  facts: { attachments: number };
}

interface Conversation {
  newest: NewInFolder;
  all: NewInFolder[];
}

const countOf = ({ all }: Conversation, is: (message: NewInFolder) => boolean) => all.filter(is).length;
const has = (bit: number) => (message: NewInFolder) => (message.flags & bit) !== 0;

const ROWS = rowsOf<Conversation>('n', {
  project_id: ['uuid', ({ newest }) => newest.folderRow.projectId],
  mailbox_id: ['uuid', ({ newest }) => newest.folderRow.mailboxId],
  folder_id: ['uuid', ({ newest }) => newest.folderRow.id],
  thread_id: ['uuid', ({ newest }) => newest.threadId],
  newest_at: ['timestamptz', ({ newest }) => newest.internalDate],
  newest_uid: ['int4', ({ newest }) => newest.uid],
  messages: ['int4', ({ all }) => all.length],
  unseen: ['int4', (row) => row.all.length - countOf(row, has(FLAG.seen))],
  flagged: ['int4', (row) => countOf(row, has(FLAG.flagged))],
  drafts: ['int4', (row) => countOf(row, has(FLAG.draft))],
  files: ['int4', (row) => countOf(row, ({ facts }) => facts.attachments > 0)],
  pinned: ['int4', (row) => countOf(row, ({ keywords }) => keywords.some(isPinned))],
});

/** The parts of the statement that update the list of conversations. */
interface Listing {
  /** The CTEs, each followed by a comma. */
  ctes: RawBuilder<unknown>;
  /** The CTE for messages in existing threads. `is_new` is true if the folder had no message in the thread. */
  grown: Cte | null;
}

/**
 * Adds messages to the list of conversations, by the same rules as the trigger for copies (migration 0065), and counts the conversations
 * that are new in their folders (`added`). The statement must join `LISTED_MARKER` when it inserts the messages.
 * @param oldThreads the threads that existed before this batch. All other threads are new, so their conversations cannot be listed yet and
 * are inserted without a check
 */
export function listingNew(messages: readonly NewInFolder[], oldThreads: ReadonlySet<string>): Listing {
  const all = conversationsOf(messages);
  const begun = all.filter(({ newest }) => !oldThreads.has(newest.threadId));
  const older = all.filter(({ newest }) => oldThreads.has(newest.threadId));
  for (const { newest } of begun) newest.folderRow.added.conversations += 1;
  const grown = older.length === 0 ? null : growing(older);
  const insert = sql`begun as (insert into conversations (${ROWS.names}) select ${ROWS.values} from ${ROWS.from(begun)}), `;
  return {
    ctes: sql`${begun.length === 0 ? sql`` : insert}${grown === null ? sql`` : sql`${grown.sql}, `}`,
    grown,
  };
}

/** Groups messages by conversation. Skips messages that `list-older.ts` still has to list. */
function conversationsOf(messages: readonly NewInFolder[]): Conversation[] {
  const conversations = new Map<string, Conversation>();
  for (const message of messages) {
    const { folderRow, threadId, uid, internalDate } = message;
    if (uid < folderRow.unlistedBelow) continue;
    const key = `${folderRow.id} ${threadId}`;
    const known = conversations.get(key);
    if (known === undefined) conversations.set(key, { newest: message, all: [message] });
    else {
      known.all.push(message);
      // Messages are in UID order. Among messages with the same date, the message with the highest UID is the newest.
      if (internalDate >= known.newest.internalDate) known.newest = message;
    }
  }
  return [...conversations.values()];
}

function growing(conversations: readonly Conversation[]): Cte {
  return cte(
    'grown',
    sql`insert into conversations as v (${ROWS.names}) select ${ROWS.values} from ${ROWS.from(conversations)}
      on conflict (project_id, mailbox_id, folder_id, thread_id) do update set
        newest_at = greatest(v.newest_at, excluded.newest_at),
        newest_uid = case when (excluded.newest_at, excluded.newest_uid) > (v.newest_at, v.newest_uid)
          then excluded.newest_uid else v.newest_uid end,
        messages = v.messages + excluded.messages, unseen = v.unseen + excluded.unseen, flagged = v.flagged + excluded.flagged,
        drafts = v.drafts + excluded.drafts, files = v.files + excluded.files, pinned = v.pinned + excluded.pinned
      returning v.folder_id, xmax = 0 as is_new`,
  );
}

/**
 * A row for the from clause of the insert. The row makes the trigger from migration 0082 skip the messages, because this statement lists
 * them itself.
 */
export const LISTED_MARKER: RawBuilder<unknown> = sql`
  (select set_config('posthorn.listed_at', statement_timestamp()::text, true)) listing`;
