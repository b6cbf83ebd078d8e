import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Cte } from '../db/cte.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import type { FolderRole } from '../model/folder-roles.ts';
import { MAILBOX_KEY, type MailboxKey } from './lock-mailboxes.ts';

/** A folder by id, by role, or by name, optionally with a role as the fallback. */
export type FolderRef = { id: string } | { role: FolderRole } | { name: string; otherwise?: FolderRole };

const FOLDER = columnsOf({
  ...MAILBOX_KEY.kinds,
  id: 'uuid',
  name: 'text',
  role: shaped<FolderRole | null>('text?'),
  uidValidity: 'float8',
  uidNext: 'int4',
  /** Lower UIDs are reserved for messages that another server numbered (`adopt-uids.ts`). */
  uidReservedBelow: 'int4',
  /** Whether messages have a unique-id of another server for POP3. */
  hasUidls: 'bool',
  highestModseq: 'float8',
  keywords: 'text[]',
  /** Messages with UIDs below this value are not yet included in the conversations. */
  unlistedBelow: 'int4',
});
/** A folder of a locked mailbox, which no other transaction can change. */
export interface LockedFolder extends RowOf<typeof FOLDER> {
  /** The changes to the counters by this transaction. Negative if the transaction removes messages. */
  added: { messages: number; unseen: number; octets: number; conversations: number };
}

export type FolderRequest = MailboxKey & { folder: FolderRef };

const FOLDER_REQUESTS = rowsOf<FolderRequest>('w', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  id: ['uuid', ({ folder }) => ('id' in folder ? folder.id : null)],
  role: ['text', ({ folder }) => ('id' in folder ? null : roleOf(folder))],
  name: ['text', ({ folder }) => ('name' in folder ? folder.name : null)],
});

/** Reads folders of mailboxes that the transaction has locked. Skips duplicates and deleted folders. */
export async function readFolders(
  tx: DatabaseTransaction,
  requests: readonly FolderRequest[],
): Promise<LockedFolder[]> {
  const { rows } = await FOLDER.sql`
    select distinct on (f.project_id, f.mailbox_id, f.id) f.project_id, f.mailbox_id, f.id, f.name, f.role,
      f.uid_validity::float8 as uid_validity, f.uid_next, f.uid_reserved_below, f.has_uidls, f.highest_modseq::float8 as highest_modseq, f.keywords,
      f.unlisted_below
    from ${FOLDER_REQUESTS.from(requests)} join folders f on f.project_id = w.project_id and f.mailbox_id = w.mailbox_id
      and (f.id = w.id or f.role = w.role or f.name = w.name)
    where f.name is not null`.execute(tx);
  return rows.map((row) => ({ ...row, added: { messages: 0, unseen: 0, octets: 0, conversations: 0 } }));
}

export function folderOf(
  folders: readonly LockedFolder[],
  { mailboxId, folder }: FolderRequest,
): LockedFolder | undefined {
  const own = folders.filter((row) => row.mailboxId === mailboxId);
  if ('id' in folder) return own.find((row) => row.id === folder.id);
  const named = 'name' in folder ? own.find((row) => row.name === folder.name) : undefined;
  const role = roleOf(folder);
  return named ?? own.find((row) => role !== null && row.role === role);
}

/**
 * Assigns the UID of a new message.
 * @param wanted the UID that the message had on another server. Used if it is reserved for that server and still higher than all others
 */
export function takeUid(folder: LockedFolder, wanted?: number): number {
  const { uidNext, uidReservedBelow } = folder;
  const isFree = wanted !== undefined && wanted >= uidNext && wanted < uidReservedBelow;
  const uid = isFree ? wanted : Math.max(uidNext, uidReservedBelow);
  folder.uidNext = uid + 1;
  return uid;
}

function roleOf(folder: Exclude<FolderRef, { id: string }>): FolderRole | null {
  return 'role' in folder ? folder.role : (folder.otherwise ?? null);
}

const ADDED = rowsOf<LockedFolder>('a', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  id: ['uuid', ({ id }) => id],
  uid_next: ['int4', ({ uidNext }) => uidNext],
  highest_modseq: ['int8', ({ highestModseq }) => highestModseq],
  keywords: ['text[]', ({ keywords }) => keywords],
  has_uidls: ['bool', ({ hasUidls }) => hasUidls],
  messages: ['int4', ({ added }) => added.messages],
  unseen: ['int4', ({ added }) => added.unseen],
  octets: ['int8', ({ added }) => added.octets],
  conversations: ['int4', ({ added }) => added.conversations],
});

/**
 * The CTE that writes the state of locked folders.
 * @param grown conversations to which the statement adds messages (`listingNew`). Some of these may be new in their folder
 */
export function writingFolders(
  folders: readonly LockedFolder[],
  grown: Cte | null = null,
): RawBuilder<unknown> {
  const counted =
    grown === null
      ? sql``
      : sql` + (select count(*) from ${grown.name} g where g.is_new and g.folder_id = a.id)`;
  return sql`
    folder as (
      update folders f set uid_next = a.uid_next, highest_modseq = a.highest_modseq, keywords = a.keywords::text[], has_uidls = a.has_uidls,
        messages = f.messages + a.messages, unseen = f.unseen + a.unseen, octets = f.octets + a.octets,
        conversations = f.conversations + a.conversations${counted}
      from ${ADDED.from(folders)}
      where f.project_id = a.project_id and f.mailbox_id = a.mailbox_id and f.id = a.id
    )`;
}
