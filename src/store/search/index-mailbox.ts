import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { uuidArray } from '../../db/arrays.ts';
import { NIL_UUID } from '../../model/ids.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';
import { lockSegments } from './lock-segments.ts';
import { mergeSegments } from './merge-segments.ts';
import { MESSAGE_PARTS, type MessagePart, partTexts } from './message-parts.ts';
import { packedIds } from './object-ids.ts';
import { SegmentBuilder } from './segment-builder.ts';

/**
 * Messages per new segment. A larger segment would take seconds to build. With smaller segments, a search would have to read more of them.
 */
export const SEGMENT_DOCUMENTS = 4_096;
/** This many segments of similar size are merged into one, because a search reads the words of each segment. */
const MERGED = 4;
/** The maximum number of messages in a merged segment. Memory use grows with this number. */
const MAX_DOCUMENTS = SEGMENT_DOCUMENTS * MERGED ** 2;
/** Maximum number of characters in the texts of a segment. Building the segment takes four times as much memory. */
const SEGMENT_CHARACTERS = 64 * 1_048_576;
const PAGE = 128;

const STORED_SEGMENT = columnsOf({
  part: shaped<MessagePart>('text'),
  firstObjectId: 'uuid',
  lastObjectId: 'uuid',
  documents: 'int4',
  objects: 'bytea',
  terms: 'bytea',
  postings: 'bytea',
});
type StoredSegment = RowOf<typeof STORED_SEGMENT>;

const pack = promisify<Buffer, Buffer>(zstdCompress);
const unpack = promisify<Buffer, Buffer>(zstdDecompress);

/**
 * Indexes the oldest messages without a segment if there are enough for a new segment. Also merges segments.
 * @param before only messages with ids below this id are indexed
 * @returns false if there were not enough messages
 */
export async function indexNext(database: Database, key: MailboxKey, before: string): Promise<boolean> {
  const after = await coveredUntil(database, key);
  const segments = await buildSegments(database, key, after, before);
  if (segments === null) return false;
  await database.transaction().execute(async (tx) => {
    await lockSegments(tx, key);
    // Another process may have indexed the same messages or deleted earlier segments. A gap between segments must not occur: its messages
    // would never be found.
    if ((await coveredUntil(tx, key)) !== after) return;
    for (const segment of segments) await insertSegment(tx, key, segment);
  });
  for (const part of MESSAGE_PARTS) while (await mergeLast(database, key, part));
  return true;
}

const LAST = columnsOf({ id: 'uuid' });

/** The last message that a segment covers. */
async function coveredUntil(database: Database, { projectId, mailboxId }: MailboxKey): Promise<string> {
  const { rows: last } = await LAST.sql`
    select last_object_id as id from search_segments where project_id = ${projectId} and mailbox_id = ${mailboxId}
    order by last_object_id desc limit 1`.execute(database);
  return last[0]?.id ?? NIL_UUID;
}

const INDEXED = columnsOf({ objectId: 'uuid', text: 'text', header: 'text?' });

/** Builds one segment for each part, over the same messages. */
async function buildSegments(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  from: string,
  before: string,
): Promise<StoredSegment[] | null> {
  let after = from;
  let firstObjectId = '';
  const builders = MESSAGE_PARTS.map((part) => ({ part, builder: new SegmentBuilder() }));
  const objects: string[] = [];
  let characters = 0;
  while (objects.length < SEGMENT_DOCUMENTS && characters < SEGMENT_CHARACTERS) {
    const { rows } = await INDEXED.sql`
      select object_id, text, header from message_contents
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and object_id > ${after} and object_id < ${before} and not is_late
      order by object_id limit ${PAGE}`.execute(database);
    for (const { objectId, text, header } of rows) {
      const texts = partTexts(text, header);
      for (const { part, builder } of builders) builder.add(texts[part]);
      objects.push(objectId);
      characters += text.length + (header ?? '').length;
      firstObjectId ||= objectId;
      after = objectId;
    }
    if (rows.length < PAGE) return null;
  }
  const packed = packedIds(objects);
  return builders.map(({ part, builder }) => ({
    ...builder.finish(),
    part,
    documents: objects.length,
    objects: packed,
    firstObjectId,
    lastObjectId: after,
  }));
}

async function insertSegment(database: Database, key: MailboxKey, segment: StoredSegment): Promise<void> {
  const { part, firstObjectId, lastObjectId, documents, objects, terms, postings } = segment;
  await sql`
    insert into search_segments (project_id, mailbox_id, part, first_object_id, last_object_id, documents, objects, terms, postings)
    select ${key.projectId}, ${key.mailboxId}, ${part}, ${firstObjectId}, ${lastObjectId}, ${documents}, ${objects}, ${await pack(terms)},
      ${postings}
    where exists (select from mailboxes where project_id = ${key.projectId} and id = ${key.mailboxId})
    on conflict do nothing`.execute(database);
}

const SIZE = columnsOf({ documents: 'int4' });

/** Merges the last segments if they have similar sizes. @returns whether segments were merged */
async function mergeLast(database: Database, key: MailboxKey, part: MessagePart): Promise<boolean> {
  const { rows: sizes } = await SIZE.sql`
    select documents from search_segments where project_id = ${key.projectId} and mailbox_id = ${key.mailboxId}
      and part = ${part}
    order by first_object_id desc limit ${MERGED}`.execute(database);
  const smallest = Math.min(...sizes.map(({ documents }) => documents));
  const total = sizes.reduce((sum, { documents }) => sum + documents, 0);
  const isOneSize = sizes.every(({ documents }) => documents < smallest * 2);
  if (sizes.length < MERGED || !isOneSize || total > MAX_DOCUMENTS * 2) return false;
  const { rows } = await STORED_SEGMENT.sql`
    select part, first_object_id, last_object_id, documents, objects, terms, postings from search_segments
    where project_id = ${key.projectId} and mailbox_id = ${key.mailboxId} and part = ${part}
    order by first_object_id desc limit ${MERGED}`.execute(database);
  const segments = rows.reverse();
  const unpacked = await Promise.all(
    segments.map(async (one) => ({ ...one, terms: await unpack(one.terms) })),
  );
  const merged: StoredSegment = {
    ...mergeSegments(unpacked),
    part,
    objects: Buffer.concat(segments.map(({ objects }) => objects)),
    firstObjectId: (segments[0] as StoredSegment).firstObjectId,
    lastObjectId: (segments.at(-1) as StoredSegment).lastObjectId,
  };
  const [first, last] = [segments.map((one) => one.firstObjectId), segments.map((one) => one.lastObjectId)];
  const areThese = sql`project_id = ${key.projectId} and mailbox_id = ${key.mailboxId} and part = ${part} and (first_object_id, last_object_id) in
    (select * from unnest(${uuidArray(first)}::uuid[], ${uuidArray(last)}::uuid[]))`;
  return database.transaction().execute(async (tx) => {
    await lockSegments(tx, key);
    const { rows: locked } = await sql`select from search_segments where ${areThese} for update`.execute(tx);
    // Another process has merged or deleted the segments.
    if (locked.length < segments.length) return false;
    await sql`delete from search_segments where ${areThese}`.execute(tx);
    await insertSegment(tx, key, merged);
    return true;
  });
}
