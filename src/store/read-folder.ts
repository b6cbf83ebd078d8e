/** A folder as sessions know it: which messages it has, their flags, and what has changed since. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import type { FlaggedMessage } from './change-flags.ts';
import { FLAG } from './flags.ts';
import type { FolderKey } from './in-folder.ts';
import { messagesIn, type UidRange, unpackUids } from './uid-ranges.ts';

/** As PostgreSQL sends them: 14 bytes for each message, and the keywords of those that have some. */
const PACKED_FLAGS = columnsOf({
  packed: 'bytea?',
  keywords: shaped<[uid: number, keywords: string[]][] | null>('json?'),
});

const OCTETS = 14;

/** The columns of a select over rows of `messages`, in their order there. */
const FLAG_COLUMNS: RawBuilder<unknown> = sql.raw(
  `string_agg(int4send(uid) || int2send(flags) || int8send(modseq), ''::bytea) as packed,
  json_agg(json_build_array(uid, keywords)) filter (where keywords <> '{}') as keywords`,
);

/** UIDs of a statement: 15 ms, and a millisecond to read the answer. */
const SLICE = 100_000;
/** Flags of an answer: some 5 ms. */
const MAX_FLAGS = 20_000;

const SNAPSHOT = columnsOf({
  uidValidity: 'float8',
  uidNext: 'int4',
  highestModseq: 'float8',
  /** All that its messages ever had. */
  keywords: 'text[]',
  /** The UID of the first message without \Seen; null: all have it. */
  firstUnseen: 'int4?',
  /** Messages from this UID on are \Recent to whoever selects the folder next (`takeRecent`). */
  recentUid: 'int4',
});

/** What SELECT of IMAP tells of a folder (RFC 9051, section 6.3.2), all of one moment. */
export interface FolderSnapshot extends RowOf<typeof SNAPSHOT> {
  /** Of all its messages, in order: four bytes for each. */
  uids: Uint32Array;
}

/** @returns null: no such folder */
export async function readSnapshot(database: Database, key: FolderKey): Promise<FolderSnapshot | null> {
  // A folder may be so large that its UIDs take several statements: they see the same moment.
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

/** Flags of messages by their UIDs, in order, at most 20,000: who wants more asks again behind the last. */
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
 * Whoever has selected a folder to change it takes what is \Recent (RFC 3501, section 2.3.2): nobody else is told that it is.
 * @returns UIDs from the first to the last that messages have or had; null: nothing is new since somebody took it, or there is no such folder
 */
export async function takeRecent(database: Database, key: FolderKey): Promise<UidRange | null> {
  const { rows } = await RECENT.sql`
    with old as (select recent_uid, uid_next from folders f where ${isFolder(key)} and recent_uid < uid_next for no key update)
    update folders f set recent_uid = old.uid_next from old where ${isFolder(key)}
    returning old.recent_uid as first, old.uid_next - 1 as last`.execute(database);
  return rows[0] ?? null;
}

export interface FolderChanges {
  /** What is told includes all changes up to here, and none after. */
  modseq: number;
  /** The folder has more changes than fit: ask again with `modseq`. */
  hasMore: boolean;
  uidNext: number;
  /** All that messages of the folder ever had. */
  keywords: string[];
  /** New ones, and those with other flags, by MODSEQ. */
  changed: FlaggedMessage[];
  /** What is there no more; null: it was too long ago, and the caller compares all UIDs (RFC 7162, section 3.2.5.2). */
  vanished: UidRange[] | null;
}

const CHANGES = columnsOf({
  uidNext: 'int4',
  highestModseq: 'float8',
  forgottenModseq: 'float8',
  folderKeywords: 'text[]',
  gone: shaped<[first: number, last: number, modseq: number][]>('json'),
  ...PACKED_FLAGS.kinds,
});

/** What happened in a folder after a MODSEQ. @returns null: no such folder */
export async function readChanges(
  database: Database,
  key: FolderKey,
  since: number,
): Promise<FolderChanges | null> {
  const { rows } = await CHANGES.sql`
    select uid_next, highest_modseq::float8 as highest_modseq, forgotten_modseq::float8 as forgotten_modseq,
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
  const { gone, uidNext, highestModseq, forgottenModseq, folderKeywords } = row;
  // One MODSEQ belongs to 1,000 changes at most, so what is cut off is never all.
  const lastWhole = (list: readonly { modseq: number }[]) =>
    list.length > MAX_FLAGS ? (list[MAX_FLAGS]?.modseq ?? 0) - 1 : highestModseq;
  const all = flaggedMessages(row);
  const ranges = gone.map(([first, last, modseq]) => ({ first, last, modseq }));
  const modseq = Math.min(lastWhole(all), lastWhole(ranges));
  return {
    modseq,
    hasMore: modseq < highestModseq,
    uidNext,
    keywords: folderKeywords,
    changed: all.filter((message) => message.modseq <= modseq),
    vanished:
      since < forgottenModseq
        ? null
        : ranges.filter((range) => range.modseq <= modseq).map(({ first, last }) => ({ first, last })),
  };
}

/** Flags of many messages in few bytes: as JSON, or as rows, they take three times as long. */
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
