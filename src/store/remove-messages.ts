/** Removes messages from a folder: the common part of expunging, moving and emptying. */
import { type RawBuilder, sql } from 'kysely';
import { recordingStorage } from '../accounts/usage.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import * as clock from '../model/clock.ts';
import { FLAG } from './flags.ts';
import type { LockedMailbox } from './lock-mailboxes.ts';
import type { LockedFolder } from './locked-folders.ts';
import { noteUsage, writingStates } from './usage.ts';
import { rangesOf, type UidRange } from './uid-ranges.ts';

export const MESSAGE_ROW = columnsOf({
  uid: 'int4',
  flags: 'int2',
  keywords: 'text[]',
  objectId: 'uuid',
  octets: 'int4',
  internalDate: 'timestamptz',
});
/** The columns of `messages` that a copy retains. */
export type MessageRow = RowOf<typeof MESSAGE_ROW>;

const UIDS = rowsOf<{ uid: number }>('u', { uid: ['int4', ({ uid }) => uid] });

/** Deletes rows of messages and updates the counters of their locked folder. The caller writes the row of the folder. */
export async function removeMessages(
  tx: DatabaseTransaction,
  folder: LockedFolder,
  messages: readonly MessageRow[],
): Promise<void> {
  const { projectId, mailboxId, id } = folder;
  await sql`
    delete from messages m using ${UIDS.from(messages)}
    where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.folder_id = ${id} and m.uid = u.uid`.execute(
    tx,
  );
  noteRemoved(folder, messages);
}

/** Updates the counters of a locked folder after rows of messages were deleted. The caller writes the row of the folder. */
export function noteRemoved(folder: LockedFolder, messages: readonly MessageRow[]): void {
  const { added } = folder;
  folder.highestModseq += 1;
  added.messages -= messages.length;
  added.unseen -= messages.filter(({ flags }) => (flags & FLAG.seen) === 0).length;
  added.octets -= octetsOf(messages);
}

interface ExpungedRow extends UidRange {
  folder: LockedFolder;
  modseq: number;
  at: Date;
  objectIds: string[];
}

const EXPUNGED = rowsOf<ExpungedRow>('x', {
  project_id: ['uuid', ({ folder }) => folder.projectId],
  mailbox_id: ['uuid', ({ folder }) => folder.mailboxId],
  folder_id: ['uuid', ({ folder }) => folder.id],
  modseq: ['int8', ({ modseq }) => modseq],
  first_uid: ['int4', ({ first }) => first],
  last_uid: ['int4', ({ last }) => last],
  expunged_at: ['timestamptz', ({ at }) => at],
  object_ids: ['text[]', ({ objectIds }) => objectIds],
});

/**
 * The CTE that records the expunged UIDs and their threads under the current MODSEQ of the folder. It reads the threads from
 * `message_contents`, so it must run in the statement of `forgetContents` or before.
 */
export function recordingExpunged(
  folder: LockedFolder,
  messages: readonly MessageRow[],
): RawBuilder<unknown> {
  const row = { folder, modseq: folder.highestModseq, at: clock.now() };
  const inOrder = messages.toSorted((a, b) => a.uid - b.uid);
  let taken = 0;
  const rows = rangesOf(inOrder.map(({ uid }) => uid)).map((range) => {
    const inside = inOrder.slice(taken, (taken += range.last - range.first + 1));
    return { ...range, ...row, objectIds: inside.map(({ objectId }) => objectId) };
  });
  return sql`
    vanished as (
      insert into expunged (project_id, mailbox_id, folder_id, modseq, first_uid, last_uid, expunged_at, thread_ids)
      select x.project_id, x.mailbox_id, x.folder_id, x.modseq, x.first_uid, x.last_uid, x.expunged_at, array(
        select distinct c.thread_id from unnest(x.object_ids::uuid[]) o (id) cross join lateral (
          select thread_id from message_contents c
          where c.project_id = x.project_id and c.mailbox_id = x.mailbox_id and c.object_id = o.id limit 1) c)
      from ${EXPUNGED.from(rows)})`;
}

/** The CTEs that release the quota and the project storage of messages. */
export function releasingStorage(
  mailbox: LockedMailbox,
  messages: readonly MessageRow[],
): RawBuilder<unknown> {
  const octets = octetsOf(messages);
  mailbox.octets -= octets;
  noteUsage(mailbox, false);
  return sql`${writingStates([mailbox])}, ${recordingStorage(new Map([[mailbox.projectId, -octets]]))}`;
}

export function octetsOf(messages: readonly MessageRow[]): number {
  return messages.reduce((sum, { octets }) => sum + octets, 0);
}

const OBJECTS = rowsOf<{ objectId: string }>('o', { object_id: ['uuid', ({ objectId }) => objectId] });
const THREADS = rowsOf<{ threadId: string }>('t', { thread_id: ['uuid', ({ threadId }) => threadId] });

const FORGOTTEN = columnsOf({ threadId: 'uuid' });

/**
 * Deletes the contents of messages that have no copy left, and the links of threads that have no message left. Uses separate statements,
 * because a statement still sees the rows that it deletes itself.
 * @param also CTEs to run in the statement that deletes the contents. They see the contents
 */
export async function forgetContents(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: LockedMailbox,
  messages: readonly MessageRow[],
  also: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await FORGOTTEN.sql`
    with ${also}, forgotten as (
    delete from message_contents c using ${OBJECTS.from(messages)}
    where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.object_id = o.object_id and not exists (
      select from messages m where m.project_id = c.project_id and m.mailbox_id = c.mailbox_id and m.object_id = c.object_id)
    returning c.project_id, c.mailbox_id, c.object_id, c.thread_id
    ), unsnoozed as (delete from snoozed_messages s using forgotten f
      where s.project_id = f.project_id and s.mailbox_id = f.mailbox_id and s.object_id = f.object_id)
    select thread_id from forgotten`.execute(tx);
  if (rows.length === 0) return;
  const threads = [...new Set(rows.map(({ threadId }) => threadId))].map((threadId) => ({ threadId }));
  await sql`
    delete from thread_links l using ${THREADS.from(threads)}
    where l.project_id = ${projectId} and l.mailbox_id = ${mailboxId} and l.thread_id = t.thread_id and not exists (
      select from message_contents c
      where c.project_id = l.project_id and c.mailbox_id = l.mailbox_id and c.thread_id = l.thread_id)`.execute(
    tx,
  );
}
