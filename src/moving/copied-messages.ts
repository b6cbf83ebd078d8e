/**
 * Which messages of other servers are already here. A message and its row are written in one transaction, so a copy that is interrupted at
 * any moment continues without storing a message twice.
 */
import { sql } from 'kysely';
import { byteaArray } from '../db/arrays.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import * as clock from '../model/clock.ts';
import { newUuid } from '../model/ids.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';

const SOURCE_FOLDER = columnsOf({
  id: 'uuid',
  name: 'text',
  uidValidity: 'float8',
  folderId: 'uuid',
  keepsUids: 'bool',
  modseq: 'text?',
});

const COLUMNS = sql.raw('id, name, uid_validity::float8 as uid_validity, folder_id, keeps_uids, modseq');

/** A mailbox here and the mailbox on another server that is copied into it. */
export interface SourceKey extends MailboxKey {
  /** User and server. */
  source: string;
}

/** A folder on another server, and the folder here that it is copied into. */
export type CopiedFolder = RowOf<typeof SOURCE_FOLDER> & SourceKey;

/** Flags and keywords are those on the other server at the last pass. */
const COPY = columnsOf({ sourceUid: 'float8', uid: 'int4', flags: 'int2', keywords: 'text[]' });
export type MessageCopy = RowOf<typeof COPY>;

/** Days after the last pass until the rows of a source are deleted. A later pass then recognizes messages by their bytes. */
const RETENTION_MS = 90 * 24 * 60 * 60_000;
const BATCH = 500;

/** The folders of a source that were copied before. */
export async function readCopiedFolders(database: Database, key: SourceKey): Promise<CopiedFolder[]> {
  const { rows } = await SOURCE_FOLDER.sql`
    select ${COLUMNS} from source_folders
    where project_id = ${key.projectId} and mailbox_id = ${key.mailboxId} and source = ${key.source}`.execute(
    database,
  );
  return rows.map((row) => ({ ...row, ...key }));
}

/**
 * Starts to copy a folder. Forgets which messages were copied from an earlier folder of this name, or into an earlier folder here.
 * @param folder `keepsUids` says whether the folder here has the UIDVALIDITY of the source. Ignored if another folder has its UIDs
 */
export function startCopying(
  database: Database,
  key: SourceKey,
  { name, uidValidity, folderId, keepsUids }: Omit<RowOf<typeof SOURCE_FOLDER>, 'id' | 'modseq'>,
): Promise<CopiedFolder> {
  const { projectId, mailboxId, source } = key;
  const isNamed = sql`project_id = ${projectId} and mailbox_id = ${mailboxId} and source = ${source} and name = ${name}`;
  return database.transaction().execute(async (tx) => {
    await sql`
      insert into source_folders (project_id, mailbox_id, id, source, name, uid_validity, folder_id, keeps_uids, passed_at)
      values (${projectId}, ${mailboxId}, ${newUuid()}, ${source}, ${name}, 0, ${folderId}, false, ${clock.now()})
      on conflict (project_id, mailbox_id, source, name) do nothing`.execute(tx);
    const { rows } = await SOURCE_FOLDER.sql`
      select ${COLUMNS} from source_folders where ${isNamed} for update`.execute(tx);
    const [before] = rows;
    if (before === undefined) throw new Error('the row was deleted in the meantime');
    // Another process may have started to copy the folder.
    if (before.uidValidity === uidValidity && before.folderId === folderId) return { ...before, ...key };
    await forgetCopies(tx, { ...key, id: before.id }, null);
    const { rows: after } = await SOURCE_FOLDER.sql`
      update source_folders s set uid_validity = ${uidValidity}::int8, folder_id = ${folderId}::uuid, modseq = null,
        passed_at = ${clock.now()}, keeps_uids = ${keepsUids} and not exists (
          select from source_folders f where f.project_id = s.project_id and f.mailbox_id = s.mailbox_id
            and f.folder_id = ${folderId} and f.keeps_uids and f.id <> s.id)
      where ${isNamed}
      returning ${COLUMNS}`.execute(tx);
    return { ...before, ...after[0], ...key };
  });
}

/** Records that everything in the folder was copied. @param modseq HIGHESTMODSEQ of the source before its messages were listed */
export async function finishCopying(
  database: Database,
  { projectId, mailboxId, id }: CopiedFolder,
  modseq: string | null,
): Promise<void> {
  await sql`
    update source_folders set modseq = ${modseq}, passed_at = ${clock.now()}
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${id}`.execute(database);
}

export async function forgetFolder(database: Database, folder: CopiedFolder): Promise<void> {
  await forgetCopies(database, folder, null);
  const { projectId, mailboxId, id } = folder;
  await sql`
    delete from source_folders where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${id}`.execute(
    database,
  );
}

/** The copies of messages with UIDs from `first` to `last` on the source, ascending. */
export async function readCopies(
  database: Database | DatabaseTransaction,
  { projectId, mailboxId, id }: CopiedFolder,
  first: number,
  last: number,
): Promise<MessageCopy[]> {
  const { rows } = await COPY.sql`
    select source_uid::float8 as source_uid, uid, flags, keywords from source_messages
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and source_folder_id = ${id}
      and source_uid between ${first}::int8 and ${last}::int8
    order by source_uid`.execute(database);
  return rows;
}

const SOURCE_UID = columnsOf({ sourceUid: 'float8' });

/** The UIDs on the source above `after` that have copies, ascending. */
export async function readSourceUids(
  database: Database,
  { projectId, mailboxId, id }: CopiedFolder,
  after: number,
): Promise<number[]> {
  const { rows } = await SOURCE_UID.sql`
    select source_uid::float8 as source_uid from source_messages
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and source_folder_id = ${id} and source_uid > ${after}::int8
    order by source_uid`.execute(database);
  return rows.map(({ sourceUid }) => sourceUid);
}

const COUNTS = columnsOf({ copies: 'int4', here: 'int4' });

/** The number of copies, and how many of them are still in their folder. */
export async function countCopies(
  database: Database,
  { projectId, mailboxId, id, folderId }: CopiedFolder,
): Promise<RowOf<typeof COUNTS>> {
  const { rows } = await COUNTS.sql`
    select count(*)::int as copies, count(m.uid)::int as here
    from source_messages s left join messages m on m.project_id = s.project_id and m.mailbox_id = s.mailbox_id
      and m.folder_id = ${folderId} and m.uid = s.uid
    where s.project_id = ${projectId} and s.mailbox_id = ${mailboxId} and s.source_folder_id = ${id}`.execute(
    database,
  );
  return rows[0] ?? { copies: 0, here: 0 };
}

const UNCLAIMED = columnsOf({ digest: 'text', uid: 'int4' });

/**
 * Finds messages here that have the same bytes as messages of the source, because they were copied before in another way, or before the
 * UIDVALIDITY changed. Messages that are already known as copies from this source are not returned.
 * @returns UIDs here by digest in hexadecimal
 */
export async function findUnclaimed(
  tx: DatabaseTransaction,
  { projectId, mailboxId, source, folderId }: CopiedFolder,
  digests: readonly Buffer[],
): Promise<Map<string, number[]>> {
  const { rows } = await UNCLAIMED.sql`
    select encode(c.digest, 'hex') as digest, m.uid
    from (select distinct digest from unnest(${byteaArray(digests)}::bytea[]) k (digest)) k
    join message_contents c on c.project_id = ${projectId} and c.digest = k.digest and c.mailbox_id = ${mailboxId}
    join messages m on m.project_id = c.project_id and m.mailbox_id = c.mailbox_id and m.object_id = c.object_id
    where m.folder_id = ${folderId} and not exists (
      select from source_folders f join source_messages s on s.project_id = f.project_id and s.mailbox_id = f.mailbox_id
        and s.source_folder_id = f.id and s.uid = m.uid
      where f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.source = ${source} and f.folder_id = ${folderId})
    order by m.uid`.execute(tx);
  const found = new Map<string, number[]>();
  for (const { digest, uid } of rows) found.set(digest, [...(found.get(digest) ?? []), uid]);
  return found;
}

const COPIES = rowsOf<MessageCopy>('c', {
  source_uid: ['int8', ({ sourceUid }) => sourceUid],
  uid: ['int4', ({ uid }) => uid],
  flags: ['int2', ({ flags }) => flags],
  keywords: ['text[]', ({ keywords }) => keywords],
});

/** Records copies. The flags of known copies are replaced. */
export async function recordCopies(
  database: Database | DatabaseTransaction,
  { projectId, mailboxId, id }: CopiedFolder,
  copies: readonly MessageCopy[],
): Promise<void> {
  await sql`
    insert into source_messages (project_id, mailbox_id, source_folder_id, source_uid, uid, flags, keywords)
    select ${projectId}::uuid, ${mailboxId}::uuid, ${id}::uuid, c.source_uid, c.uid, c.flags, c.keywords::text[] from ${COPIES.from(copies)}
    on conflict (project_id, mailbox_id, source_folder_id, source_uid) do update set flags = excluded.flags, keywords = excluded.keywords`.execute(
    database,
  );
}

const UID = columnsOf({ uid: 'int4' });
const SOURCE_UIDS = rowsOf<{ sourceUid: number }>('u', {
  source_uid: ['int8', ({ sourceUid }) => sourceUid],
});

/**
 * The UIDs here of copies that may be deleted because their originals no longer exist: no other source has the same message in the folder.
 */
export async function readDeletable(
  database: Database,
  { projectId, mailboxId, id, folderId }: CopiedFolder,
  sourceUids: readonly number[],
): Promise<number[]> {
  const { rows } = await UID.sql`
    select s.uid from ${SOURCE_UIDS.from(sourceUids.map((sourceUid) => ({ sourceUid })))} join source_messages s
      on s.project_id = ${projectId} and s.mailbox_id = ${mailboxId} and s.source_folder_id = ${id} and s.source_uid = u.source_uid
    where not exists (
      select from source_folders f join source_messages o on o.project_id = f.project_id and o.mailbox_id = f.mailbox_id
        and o.source_folder_id = f.id and o.uid = s.uid
      where f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.folder_id = ${folderId} and f.id <> ${id})`.execute(
    database,
  );
  return rows.map(({ uid }) => uid);
}

/** @param sourceUids null for all copies of the folder */
export async function forgetCopies(
  database: Database | DatabaseTransaction,
  { projectId, mailboxId, id }: Pick<CopiedFolder, 'projectId' | 'mailboxId' | 'id'>,
  sourceUids: readonly number[] | null,
): Promise<void> {
  const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId} and source_folder_id = ${id}`;
  if (sourceUids === null) await sql`delete from source_messages where ${isOf}`.execute(database);
  else
    await sql`
      delete from source_messages s using ${SOURCE_UIDS.from(sourceUids.map((sourceUid) => ({ sourceUid })))}
      where ${isOf} and s.source_uid = u.source_uid`.execute(database);
}

const EXPIRED = columnsOf({ projectId: 'uuid', mailboxId: 'uuid', id: 'uuid' });

/** Deletes what is known of sources that were not copied for 90 days. @yields the number of rows in each batch */
export async function* forgettingSources(database: Database): AsyncGenerator<number, void, void> {
  for (;;) {
    const { rows } = await EXPIRED.sql`
      select project_id, mailbox_id, id from source_folders where passed_at < ${new Date(clock.nowMs() - RETENTION_MS)}
      order by passed_at limit 1`.execute(database);
    const [folder] = rows;
    if (folder === undefined) return;
    const { projectId, mailboxId, id } = folder;
    const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId} and source_folder_id = ${id}`;
    for (let deleted = BATCH; deleted === BATCH; yield deleted) {
      const { numAffectedRows } = await sql`
        delete from source_messages where ${isOf} and source_uid = any (array(
          select source_uid from source_messages where ${isOf} order by source_uid limit ${BATCH}))`.execute(
        database,
      );
      deleted = Number(numAffectedRows ?? 0);
    }
    await sql`
      delete from source_folders where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${id}`.execute(
      database,
    );
  }
}
