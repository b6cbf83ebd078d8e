/** Reads a folder for sessions: its messages, their flags, and later changes. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import type { FlaggedMessage } from './change-flags.ts';
import { FLAG } from './flags.ts';
import type { FolderKey } from './in-folder.ts';
import { messagesIn, type UidRange, unpackUids } from './uid-ranges.ts';

/** Flags as packed by PostgreSQL: 14 bytes for each message, plus the keywords of messages that have some. */
const PACKED_FLAGS = columnsOf({
  packed: 'bytea?',
  keywords: shaped<[uid: number, keywords: string[]][] | null>('json?'),
});

const OCTETS = 14;

/** Packs the flags of the selected rows of `messages`, in the order of the rows. */
const FLAG_COLUMNS: RawBuilder<unknown> = sql.raw(
  `string_agg(int4send(uid) || int2send(flags) || int8send(modseq), ''::bytea) as packed,
  json_agg(json_build_array(uid, keywords)) filter (where keywords <> '{}') as keywords`,
);

/** UIDs per statement. Such a statement takes 15 ms, plus 1 ms to read the result. */
const SLICE = 100_000;
/** Messages per result. A result takes about 5 ms to read. */
const MAX_FLAGS = 20_000;

const SNAPSHOT = columnsOf({
  uidValidity: 'float8',
  uidNext: 'int4',
  highestModseq: 'float8',
  /** All keywords that messages in the folder have ever had. */
  keywords: 'text[]',
  /** The UID of the first message without \Seen; null if all messages have \Seen. */
  firstUnseen: 'int4?',
  /** Messages with this UID or a higher one are \Recent for the next session that selects the folder (`takeRecent`). */
  recentUid: 'int4',
});

/** The state of a folder for IMAP SELECT (RFC 9051, section 6.3.2), from one snapshot. */
export interface FolderSnapshot extends RowOf<typeof SNAPSHOT> {
  /** The UIDs of all messages, in order. Each UID takes four bytes. */
  uids: Uint32Array;
}

/** @returns null if there is no such folder */
export async function readSnapshot(database: Database, key: FolderKey): Promise<FolderSnapshot | null> {
  // Reading the UIDs of a large folder takes several statements, which must see the same snapshot.
  return database
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const { rows } = await SNAPSHOT.sql`
        select uid_validity::float8 as uid_validity, uid_next, highest_modseq::float8 as highest_modseq, keywords, recent_uid,
          case when unseen > 0 then (
            select uid from messages m
            where m.project_id = f.project_id and m.mailbox_id = f.mailbox_id and m.folder_id = f.id
              and m.flags & ${sql.lit(FLAG.seen)} = 0
            order by uid limit 1) end as first_unseen
        from folders f where ${isFolder(key)}`.execute(tx);
      const [folder] = rows;
      return folder === undefined ? null : { ...folder, uids: await readUids(tx, key) };
    });
}

function isFolder({ projectId, mailboxId, folderId }: FolderKey): RawBuilder<unknown> {
  return sql`f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.id = ${folderId} and f.name is not null`;
}

const PACKED_UIDS = columnsOf({ packed: 'bytea?' });

async function readUids(
  tx: DatabaseTransaction,
  { projectId, mailboxId, folderId }: FolderKey,
): Promise<Uint32Array> {
  const slices: Buffer[] = [];
  for (let last = 0; ; ) {
    const { rows } = await PACKED_UIDS.sql`
      select string_agg(int4send(uid), ''::bytea) as packed from (
        select uid from messages
        where project_id = ${projectId} and mailbox_id = ${mailboxId} and folder_id = ${folderId} and uid > ${last}
        order by uid limit ${SLICE}) u`.execute(tx);
    const packed = rows[0]?.packed ?? Buffer.alloc(0);
    slices.push(packed);
    if (packed.length < SLICE * 4) break;
    last = packed.readUInt32BE(packed.length - 4);
  }
  return unpackUids(slices);
}

/** Reads the flags of at most 20,000 messages, sorted by UID. The caller continues after the last UID of the result. */
export async function readFlags(
  database: Database,
  folder: FolderKey,
  ranges: readonly UidRange[],
): Promise<FlaggedMessage[]> {
  const { rows } = await PACKED_FLAGS.sql`
    select ${FLAG_COLUMNS} from (
      select m.uid, m.flags, m.modseq, m.keywords from ${messagesIn(folder, ranges, MAX_FLAGS)} limit ${MAX_FLAGS}) m`.execute(
    database,
  );
  return rows.flatMap(flaggedMessages);
}

const RECENT = columnsOf({ first: 'int4', last: 'int4' });

/**
 * Claims the \Recent messages for a session that selected the folder read-write (RFC 3501, section 2.3.2). No other session sees them as
 * \Recent. Does not wait for the disk: after a power failure, the messages may be \Recent once more.
 * @returns the range of UIDs; null if the folder does not exist or has received no messages since the last claim
 */
export async function takeRecent(database: Database, key: FolderKey): Promise<UidRange | null> {
  const { rows } = await RECENT.sql`
    with old as (select recent_uid, uid_next from folders f where ${isFolder(key)} and recent_uid < uid_next for no key update)
    update folders f set recent_uid = old.uid_next
    from old, (select set_config('synchronous_commit', 'off', true)) without_waiting where ${isFolder(key)}
    returning old.recent_uid as first, old.uid_next - 1 as last`.execute(database);
  return rows[0] ?? null;
}

export interface FolderChanges {
  /** The result includes all changes up to this MODSEQ, and no later changes. */
  modseq: number;
  /** Whether there are more changes. Continue with `modseq`. */
  hasMore: boolean;
  uidNext: number;
  /** Whether `takeRecent` may find messages. */
  hasRecent: boolean;
  /** All keywords that messages in the folder have ever had. */
  keywords: string[];
  /** New messages and messages with changed flags, sorted by MODSEQ. */
  changed: FlaggedMessage[];
  /** Expunged UIDs. Null if `since` is too old: the caller must then compare all UIDs (RFC 7162, section 3.2.5.2). */
  vanished: UidRange[] | null;
}

const CHANGES = columnsOf({
  uidNext: 'int4',
  hasRecent: 'bool',
  highestModseq: 'float8',
  forgottenModseq: 'float8',
  folderKeywords: 'text[]',
  gone: shaped<[first: number, last: number, modseq: number][]>('json'),
  ...PACKED_FLAGS.kinds,
});

/** Reads the changes of a folder after a MODSEQ. @returns null if there is no such folder */
export async function readChanges(
  database: Database,
  key: FolderKey,
  since: number,
): Promise<FolderChanges | null> {
  const { rows } = await CHANGES.sql`
    select uid_next, recent_uid < uid_next as has_recent, highest_modseq::float8 as highest_modseq, forgotten_modseq::float8 as forgotten_modseq,
      f.keywords as folder_keywords, changed.packed, changed.keywords,
      (select coalesce(json_agg(json_build_array(first_uid, last_uid, modseq) order by modseq, first_uid), '[]') from (
        select first_uid, last_uid, modseq from expunged x
        where x.project_id = f.project_id and x.mailbox_id = f.mailbox_id and x.folder_id = f.id and x.modseq > ${since}
        order by modseq, first_uid limit ${MAX_FLAGS + 1}) i) as gone
    from folders f cross join lateral (
      select ${FLAG_COLUMNS} from (
        select uid, flags, modseq, keywords from messages m
        where m.project_id = f.project_id and m.mailbox_id = f.mailbox_id and m.folder_id = f.id and m.modseq > ${since}
        order by modseq, uid limit ${MAX_FLAGS + 1}) i) changed
    where ${isFolder(key)}`.execute(database);
  const [row] = rows;
  if (row === undefined) return null;
  const { gone, uidNext, hasRecent, highestModseq, forgottenModseq, folderKeywords } = row;
  // A result has only complete MODSEQs. At most 1,000 changes share a MODSEQ, so dropping an incomplete MODSEQ never drops all changes.
  const lastWhole = (list: readonly { modseq: number }[]) =>
    list.length > MAX_FLAGS ? (list[MAX_FLAGS]?.modseq ?? 0) - 1 : highestModseq;
  const all = flaggedMessages(row);
  const ranges = gone.map(([first, last, modseq]) => ({ first, last, modseq }));
  const modseq = Math.min(lastWhole(all), lastWhole(ranges));
  return {
    modseq,
    hasMore: modseq < highestModseq,
    uidNext,
    hasRecent,
    keywords: folderKeywords,
    changed: all.filter((message) => message.modseq <= modseq),
    vanished:
      since < forgottenModseq
        ? null
        : ranges.filter((range) => range.modseq <= modseq).map(({ first, last }) => ({ first, last })),
  };
}

/** Unpacks flags. JSON or rows instead of packed bytes would take three times as long. */
function flaggedMessages({ packed, keywords }: RowOf<typeof PACKED_FLAGS>): FlaggedMessage[] {
  if (packed === null) return [];
  const named = new Map(keywords);
  return Array.from({ length: packed.length / OCTETS }, (_, index) => {
    const at = index * OCTETS;
    const uid = packed.readUInt32BE(at);
    return {
      uid,
      flags: packed.readUInt16BE(at + 4),
      modseq: packed.readUInt32BE(at + 6) * 2 ** 32 + packed.readUInt32BE(at + 10),
      keywords: named.get(uid) ?? [],
    };
  });
}
