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
import { lockForWriting } from '../store/lock-for-writing.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { mailboxDeleted } from './target-folder.ts';

const SOURCE_FOLDER = columnsOf({
  id: 'uuid',
  name: 'text',
  uidValidity: 'float8',
  folderId: 'uuid',
  keepsUids: 'bool',
  modseq: 'text?',
  hasEarlier: 'bool',
});

const COLUMNS = sql.raw(
  `id, name, uid_validity::float8 as uid_validity, folder_id, keeps_uids, modseq, (${['<', '>']
    .map(
      (other) => `exists (
        select from source_messages m where m.project_id = source_folders.project_id and m.mailbox_id = source_folders.mailbox_id
          and m.source_folder_id = source_folders.id and m.uid_validity ${other} source_folders.uid_validity)`,
    )
    .join(' or ')}) as has_earlier`,
);

/** A mailbox here and the mailbox on another server that is copied into it. */
export interface SourceKey extends MailboxKey {
  /** User and server. */
  source: string;
}

/**
 * A folder on another server, and the folder here that it is copied into. `hasEarlier` says whether there are copies under an earlier
 * UIDVALIDITY.
 */
export type CopiedFolder = RowOf<typeof SOURCE_FOLDER> & SourceKey;

/**
 * A message on another server, and its copy here. Flags and keywords are those on the other server at the last pass. `uid` is null if the
 * folder here that had the copy was deleted. `isClaimed`: the message was here before, so it is not deleted with its original.
 */
const COPY = columnsOf({
  sourceUid: 'float8',
  uid: 'int4?',
  flags: 'int2',
  keywords: 'text[]',
  size: 'int4',
  internalDate: 'timestamptz?',
  digest: 'bytea',
  isClaimed: 'bool',
});
export type MessageCopy = RowOf<typeof COPY>;
const COPY_COLUMNS = sql.raw(
  'source_uid::float8 as source_uid, uid, flags, keywords, size, internal_date, digest, is_claimed',
);

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
 * Starts to copy a folder. Copies from an earlier folder of this name stay until the pass is complete, so that their messages are recognized.
 * Copies in an earlier folder here are recorded as no longer here.
 * @param folder `keepsUids` says whether the folder here has the UIDVALIDITY of the source. Ignored if another folder has its UIDs
 */
export function startCopying(
  database: Database,
  key: SourceKey,
  {
    name,
    uidValidity,
    folderId,
    keepsUids,
  }: Omit<RowOf<typeof SOURCE_FOLDER>, 'id' | 'modseq' | 'hasEarlier'>,
): Promise<CopiedFolder> {
  const { projectId, mailboxId, source } = key;
  const isNamed = sql`project_id = ${projectId} and mailbox_id = ${mailboxId} and source = ${source} and name = ${name}`;
  return database.transaction().execute(async (tx) => {
    // Another source may start to copy into the same folder. Only one of them can keep its UIDs.
    if (!(await lockForWriting(tx, key))) throw mailboxDeleted();
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
    if (before.folderId !== folderId)
      await sql`
        update source_messages set uid = null
        where project_id = ${projectId} and mailbox_id = ${mailboxId} and source_folder_id = ${before.id} and uid is not null`.execute(
        tx,
      );
    await sql`
      update source_folders s set uid_validity = ${uidValidity}::int8, folder_id = ${folderId}::uuid, modseq = null,
        passed_at = ${clock.now()}, keeps_uids = ${keepsUids} and not exists (
          select from source_folders f where f.project_id = s.project_id and f.mailbox_id = s.mailbox_id
            and f.folder_id = ${folderId} and f.keeps_uids and f.id <> s.id)
      where ${isNamed}`.execute(tx);
    const { rows: after } = await SOURCE_FOLDER.sql`
      select ${COLUMNS} from source_folders where ${isNamed}`.execute(tx);
    return { ...before, ...after[0], ...key };
  });
}

/**
 * Records that the folder was read to its end.
 * @param modseq HIGHESTMODSEQ of the source before its messages were listed; null if the next pass must list them again
 * @param isComplete whether everything was copied. Then copies under an earlier UIDVALIDITY are no longer needed
 */
export async function finishCopying(
  database: Database,
  { projectId, mailboxId, id, uidValidity, hasEarlier }: CopiedFolder,
  modseq: string | null,
  isComplete: boolean,
): Promise<void> {
  if (hasEarlier && isComplete)
    await sql`
      delete from source_messages where project_id = ${projectId} and mailbox_id = ${mailboxId} and source_folder_id = ${id}
        and uid_validity <> ${uidValidity}::int8`.execute(database);
  await sql`
    update source_folders set modseq = ${modseq}, passed_at = ${clock.now()}
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${id}`.execute(database);
}

export async function forgetFolder(database: Database, folder: CopiedFolder): Promise<void> {
  const { projectId, mailboxId, id } = folder;
  await sql`
    delete from source_messages
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and source_folder_id = ${id}`.execute(
    database,
  );
  await sql`
    delete from source_folders where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${id}`.execute(
    database,
  );
}

/** The copies of messages with UIDs from `first` to `last` on the source, ascending. */
export async function readCopies(
  database: Database | DatabaseTransaction,
  copied: CopiedFolder,
  first: number,
  last: number,
): Promise<MessageCopy[]> {
  const { rows } = await COPY.sql`
    select ${COPY_COLUMNS} from source_messages
    where ${isOf(copied)} and source_uid between ${first}::int8 and ${last}::int8
    order by source_uid`.execute(database);
  return rows;
}

/** Selects the rows of a source folder under its present UIDVALIDITY. */
function isOf({ projectId, mailboxId, id, uidValidity }: CopiedFolder) {
  return sql`project_id = ${projectId} and mailbox_id = ${mailboxId} and source_folder_id = ${id}
    and uid_validity = ${uidValidity}::int8`;
}

const SOURCE_UID = columnsOf({ sourceUid: 'float8' });

/** The UIDs on the source above `after` that have copies, ascending. */
export async function readSourceUids(
  database: Database,
  copied: CopiedFolder,
  after: number,
): Promise<number[]> {
  const { rows } = await SOURCE_UID.sql`
    select source_uid::float8 as source_uid from source_messages
    where ${isOf(copied)} and source_uid > ${after}::int8
    order by source_uid`.execute(database);
  return rows.map(({ sourceUid }) => sourceUid);
}

const COUNTS = columnsOf({ copies: 'int4', here: 'int4' });

/** The number of copies, and how many of them are still in their folder. */
export async function countCopies(
  database: Database,
  { projectId, mailboxId, id, folderId, uidValidity }: CopiedFolder,
): Promise<RowOf<typeof COUNTS>> {
  const { rows } = await COUNTS.sql`
    select count(*)::int as copies, count(m.uid)::int as here
    from source_messages s left join messages m on m.project_id = s.project_id and m.mailbox_id = s.mailbox_id
      and m.folder_id = ${folderId} and m.uid = s.uid and exists (
        select from folders f where f.project_id = s.project_id and f.mailbox_id = s.mailbox_id and f.id = ${folderId} and f.name is not null)
    where s.project_id = ${projectId} and s.mailbox_id = ${mailboxId} and s.source_folder_id = ${id}
      and s.uid_validity = ${uidValidity}::int8`.execute(database);
  return rows[0] ?? { copies: 0, here: 0 };
}

/**
 * Treats the copies with UIDs above `after` on the source like copies under an earlier UIDVALIDITY, because the source gives these UIDs to
 * other messages.
 * @returns how many these are
 */
export async function setAside(database: Database, copied: CopiedFolder, after: number): Promise<number> {
  const { projectId, mailboxId, id } = copied;
  // Each time with another number, because earlier copies with the same UIDs may still be there.
  const { numAffectedRows } = await sql`
    update source_messages set uid_validity = (
      select least(min(uid_validity), 0) - 1 from source_messages
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and source_folder_id = ${id})
    where ${isOf(copied)} and source_uid > ${after}::int8`.execute(database);
  return Number(numAffectedRows ?? 0);
}

const EARLIER = columnsOf({
  digest: 'text',
  uid: 'int4?',
  flags: 'int2',
  keywords: 'text[]',
  isClaimed: 'bool',
});
/** A message here that becomes a copy, with the flags that it already got from the source. */
export type FoundMessage = Pick<MessageCopy, 'uid' | 'flags' | 'keywords' | 'isClaimed'>;

/**
 * Takes the copies of messages with these bytes under an earlier UIDVALIDITY. The caller records them under the present one.
 * @returns copies by digest in hexadecimal, at most as many for each digest as it occurs in `digests`
 */
export async function takeEarlier(
  tx: DatabaseTransaction,
  { projectId, mailboxId, id, uidValidity, hasEarlier }: CopiedFolder,
  digests: readonly Buffer[],
): Promise<Map<string, FoundMessage[]>> {
  if (!hasEarlier) return new Map();
  const { rows } = await EARLIER.sql`
    with wanted as (select digest, count(*) as messages from unnest(${byteaArray(digests)}::bytea[]) k (digest) group by digest),
    ranked as (
      select s.digest, s.uid_validity, s.source_uid, row_number() over (partition by s.digest order by s.uid_validity desc, s.source_uid) as n
      from wanted w join source_messages s on s.digest = w.digest
      where s.project_id = ${projectId} and s.mailbox_id = ${mailboxId} and s.source_folder_id = ${id}
        and s.uid_validity <> ${uidValidity}::int8)
    delete from source_messages s using ranked r join wanted w on w.digest = r.digest
    where s.project_id = ${projectId} and s.mailbox_id = ${mailboxId} and s.source_folder_id = ${id}
      and s.uid_validity = r.uid_validity and s.source_uid = r.source_uid and r.n <= w.messages
    returning encode(s.digest, 'hex') as digest, s.uid, s.flags, s.keywords, s.is_claimed`.execute(tx);
  return Map.groupBy(rows, ({ digest }) => digest);
}

const UNCLAIMED = columnsOf({ digest: 'text', uid: 'int4', isCopied: 'bool' });

/**
 * Finds messages here that have the same bytes as messages of the source, because they were copied before in another way. Messages that are
 * already known as copies from this source are not returned.
 * @returns messages by digest in hexadecimal. They are claimed, except copies from another source
 */
export async function findUnclaimed(
  tx: DatabaseTransaction,
  { projectId, mailboxId, source, folderId }: CopiedFolder,
  digests: readonly Buffer[],
): Promise<Map<string, FoundMessage[]>> {
  const { rows } = await UNCLAIMED.sql`
    select encode(c.digest, 'hex') as digest, m.uid, exists (
      select from source_folders f join source_messages s on s.project_id = f.project_id and s.mailbox_id = f.mailbox_id
        and s.source_folder_id = f.id and s.uid = m.uid
      where f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.folder_id = ${folderId} and not s.is_claimed) as is_copied
    from (select distinct digest from unnest(${byteaArray(digests)}::bytea[]) k (digest)) k
    join message_contents c on c.project_id = ${projectId} and c.digest = k.digest and c.mailbox_id = ${mailboxId}
    join messages m on m.project_id = c.project_id and m.mailbox_id = c.mailbox_id and m.object_id = c.object_id
    where m.folder_id = ${folderId} and not exists (
      select from source_folders f join source_messages s on s.project_id = f.project_id and s.mailbox_id = f.mailbox_id
        and s.source_folder_id = f.id and s.uid = m.uid
      where f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.source = ${source} and f.folder_id = ${folderId})
    order by m.uid`.execute(tx);
  const found = new Map<string, FoundMessage[]>();
  for (const { digest, uid, isCopied } of rows) {
    const all = found.get(digest) ?? [];
    found.set(digest, all);
    all.push({ uid, flags: 0, keywords: [], isClaimed: !isCopied });
  }
  return found;
}

const COPIES = rowsOf<MessageCopy>('c', {
  source_uid: ['int8', ({ sourceUid }) => sourceUid],
  uid: ['int4', ({ uid }) => uid],
  flags: ['int2', ({ flags }) => flags],
  keywords: ['text[]', ({ keywords }) => keywords],
  size: ['int4', ({ size }) => size],
  internal_date: ['timestamptz', ({ internalDate }) => internalDate],
  digest: ['bytea', ({ digest }) => digest],
  is_claimed: ['bool', ({ isClaimed }) => isClaimed],
});

/** Records copies. Copies of other messages with the same UIDs on the source are replaced. */
export async function recordCopies(
  tx: DatabaseTransaction,
  { projectId, mailboxId, id, uidValidity }: CopiedFolder,
  copies: readonly MessageCopy[],
): Promise<void> {
  await sql`
    insert into source_messages (project_id, mailbox_id, source_folder_id, uid_validity, ${COPIES.names})
    select ${projectId}::uuid, ${mailboxId}::uuid, ${id}::uuid, ${uidValidity}::int8, ${COPIES.values} from ${COPIES.from(copies)}
    on conflict (project_id, mailbox_id, source_folder_id, uid_validity, source_uid) do update set
      uid = excluded.uid, flags = excluded.flags, keywords = excluded.keywords, size = excluded.size,
      internal_date = excluded.internal_date, digest = excluded.digest, is_claimed = excluded.is_claimed`.execute(
    tx,
  );
}

type SourceFlagsRow = Pick<MessageCopy, 'sourceUid' | 'flags' | 'keywords'>;
const FLAGS = rowsOf<SourceFlagsRow>('c', {
  source_uid: ['int8', ({ sourceUid }) => sourceUid],
  flags: ['int2', ({ flags }) => flags],
  keywords: ['text[]', ({ keywords }) => keywords],
});

/** Records which flags the source has now. */
export async function recordFlags(
  database: Database,
  copied: CopiedFolder,
  flags: readonly SourceFlagsRow[],
): Promise<void> {
  await sql`
    update source_messages s set flags = c.flags, keywords = c.keywords::text[] from ${FLAGS.from(flags)}
    where ${isOf(copied)} and s.source_uid = c.source_uid`.execute(database);
}

const UID = columnsOf({ uid: 'int4' });
const SOURCE_UIDS = rowsOf<{ sourceUid: number }>('u', {
  source_uid: ['int8', ({ sourceUid }) => sourceUid],
});

/**
 * The UIDs here of copies that may be deleted because their originals no longer exist: they are not the owner's own messages, and no other
 * source has the same message in the folder.
 * @param maxOctets larger copies stay, because their originals may have moved to a folder from which they are not copied for their size
 */
export async function readDeletable(
  tx: DatabaseTransaction,
  { projectId, mailboxId, id, folderId, uidValidity }: CopiedFolder,
  sourceUids: readonly number[],
  maxOctets: number,
): Promise<number[]> {
  const { rows } = await UID.sql`
    select s.uid from ${SOURCE_UIDS.from(sourceUids.map((sourceUid) => ({ sourceUid })))} join source_messages s
      on s.project_id = ${projectId} and s.mailbox_id = ${mailboxId} and s.source_folder_id = ${id}
        and s.uid_validity = ${uidValidity}::int8 and s.source_uid = u.source_uid
    where s.uid is not null and not s.is_claimed and s.size <= ${maxOctets} and not exists (
      select from source_folders f join source_messages o on o.project_id = f.project_id and o.mailbox_id = f.mailbox_id
        and o.source_folder_id = f.id and o.uid = s.uid
      where f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.folder_id = ${folderId} and f.id <> ${id})`.execute(
    tx,
  );
  return rows.map(({ uid }) => uid);
}

export async function forgetCopies(
  tx: DatabaseTransaction,
  copied: CopiedFolder,
  sourceUids: readonly number[],
): Promise<void> {
  await sql`
    delete from source_messages s using ${SOURCE_UIDS.from(sourceUids.map((sourceUid) => ({ sourceUid })))}
    where ${isOf(copied)} and s.source_uid = u.source_uid`.execute(tx);
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
    const isOfFolder = sql`project_id = ${projectId} and mailbox_id = ${mailboxId} and source_folder_id = ${id}`;
    for (let deleted = BATCH; deleted === BATCH; yield deleted) {
      const { numAffectedRows } = await sql`
        delete from source_messages where ${isOfFolder} and (uid_validity, source_uid) in (
          select uid_validity, source_uid from source_messages where ${isOfFolder}
          order by uid_validity, source_uid limit ${BATCH})`.execute(database);
      deleted = Number(numAffectedRows ?? 0);
    }
    await sql`
      delete from source_folders where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${id}`.execute(
      database,
    );
  }
}
