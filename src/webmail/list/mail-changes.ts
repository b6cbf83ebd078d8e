/** Reads what changed in a mailbox after the client's last known state (mail-state.ts), as rows of its conversation lists. */
import { sql } from 'kysely';
import type { MailChanges } from '../../contract/mail/changes.ts';
import { columnsOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { encodeId } from '../../model/ids.ts';
import { type Folder, listFolders } from '../../store/folders.ts';
import type { FolderKey } from '../../store/in-folder.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { uuidArray } from '../../db/arrays.ts';
import { mayHaveAnswers } from './answers.ts';
import { readListed } from './conversation-page.ts';
import { folderRows } from './conversation-rows.ts';
import { shownFolders } from './folder-list.ts';
import { decodeState, encodeState } from './mail-state.ts';

/** The maximum number of conversations in a response. A client that missed more changes must read its list again. */
const MAX_CHANGED = 200;
/** The maximum number of messages read per folder. It is higher than `MAX_CHANGED`, because a conversation may have many messages. */
const MAX_MESSAGES = 2_000;

export async function readMailChanges(
  database: Database,
  mailbox: MailboxKey,
  since: string,
): Promise<MailChanges> {
  const folders = await listFolders(database, mailbox);
  const known = decodeState(since, folders);
  const found = known === null ? null : await findChanged(database, mailbox, folders, known);
  const conversations: MailChanges['conversations'] = { changed: [], gone: [] };
  for (const [folder, threadIds] of found ?? []) {
    const key = { ...mailbox, folderId: folder.id };
    const listed = await readListed(database, key, threadIds);
    conversations.changed.push(...(await folderRows(database, key, listed)));
    // Older mail in this folder is not listed yet, so a missing row does not mean that the conversation was removed.
    if (folder.unlistedBelow > 1) continue;
    const present = new Set(listed.map(({ threadId }) => threadId));
    for (const threadId of threadIds)
      if (!present.has(threadId))
        conversations.gone.push({ folder: encodeId('fld', folder.id), id: encodeId('thr', threadId) });
  }
  return {
    state: encodeState(folders),
    folders: shownFolders(folders),
    conversations,
    too_many: found === null,
  };
}

/** @returns null if there are too many changes, or the state is too old */
async function findChanged(
  database: Database,
  mailbox: MailboxKey,
  folders: readonly Folder[],
  known: ReadonlyMap<string, number>,
): Promise<Map<Folder, string[]> | null> {
  const found = new Map<Folder, string[]>();
  const answered = new Set<string>();
  let left = MAX_CHANGED;
  for (const folder of folders) {
    // A folder that the state does not contain is new, so all its messages are changes.
    const since = known.get(folder.id) ?? 0;
    if (folder.highestModseq <= since || (since === 0 && folder.messages === 0)) continue;
    if (since > 0 && since < folder.forgottenModseq) return null;
    const threads = await findThreads(database, { ...mailbox, folderId: folder.id }, since);
    if (threads === null || threads.changed.length > left) return null;
    left -= threads.changed.length;
    found.set(folder, threads.changed);
    // An answer comes to Sent. Members may move it to any folder before they delete it.
    for (const id of folder.role === 'sent' ? threads.changed : threads.went) answered.add(id);
  }
  return (await addAnswered(database, mailbox, [...answered], found, folders)) ? found : null;
}

const ROW = columnsOf({ folderId: 'uuid', threadId: 'uuid' });

/**
 * Adds the rows of some conversations in all folders, because each row shows which member answered.
 * @returns false if there are too many rows
 */
async function addAnswered(
  database: Database,
  mailbox: MailboxKey,
  threadIds: readonly string[],
  found: Map<Folder, string[]>,
  folders: readonly Folder[],
): Promise<boolean> {
  if (threadIds.length === 0) return true;
  const { rows } = await ROW.sql`
    select v.folder_id, v.thread_id from conversations v
    where v.project_id = ${mailbox.projectId} and v.mailbox_id = ${mailbox.mailboxId}
      and v.folder_id = any(${uuidArray(folders.map(({ id }) => id))}::uuid[])
      and v.thread_id = any(${uuidArray(threadIds)}::uuid[]) and ${mayHaveAnswers(mailbox)}
    limit ${MAX_CHANGED + 1}`.execute(database);
  if (rows.length > MAX_CHANGED) return false;
  for (const folder of folders) {
    const added = rows.flatMap(({ folderId, threadId }) => (folderId === folder.id ? [threadId] : []));
    if (added.length > 0) found.set(folder, [...new Set([...(found.get(folder) ?? []), ...added])]);
  }
  return true;
}

const CHANGED = columnsOf({
  messages: 'int4',
  came: shaped<string[] | null>('json?'),
  went: shaped<string[] | null>('json?'),
  isUnknown: 'bool',
});

/**
 * Finds threads with messages added, changed or expunged after a MODSEQ. Those with expunged messages are also in `went`.
 * @returns null if there are too many threads, or if the threads of some messages were not recorded
 */
async function findThreads(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  since: number,
): Promise<{ changed: string[]; went: string[] } | null> {
  const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId} and folder_id = ${folderId} and modseq > ${since}`;
  const { rows } = await CHANGED.sql`
    with changed as (
      select object_id from messages where ${isOf} order by modseq limit ${MAX_MESSAGES + 1}
    ), gone as (
      select thread_ids from expunged where ${isOf} order by modseq, first_uid limit ${MAX_MESSAGES + 1}
    )
    select (select count(*)::int from changed) + (select count(*)::int from gone) as messages,
      (select json_agg(distinct c.thread_id) from changed cross join lateral (
        select thread_id from message_contents c
        where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.object_id = changed.object_id limit 1) c) as came,
      (select json_agg(distinct t) from gone cross join unnest(gone.thread_ids) t) as went,
      exists (select from gone where thread_ids is null) as is_unknown`.execute(database);
  const [row] = rows;
  if (row === undefined || row.isUnknown || row.messages > MAX_MESSAGES) return null;
  const went = row.went ?? [];
  return { changed: [...new Set([...(row.came ?? []), ...went])], went };
}
