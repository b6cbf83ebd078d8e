/** Reads segments of the word index for searches. */
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { NIL_UUID } from '../../model/ids.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';
import { BufferCache } from './buffer-cache.ts';
import type { MessagePart } from './message-parts.ts';
import { addPostings, bitmapLength } from './postings.ts';
import { type PostingsRange, TermList } from './term-list.ts';
import type { NeedlePlan } from './terms.ts';

const SEGMENT = columnsOf({
  part: shaped<MessagePart>('text'),
  firstObjectId: 'uuid',
  lastObjectId: 'uuid',
  documents: 'int4',
  /** A value that changes when the row of the segment is written again. */
  version: 'text',
});
/** Identifies a segment. Its data is read when needed. */
export type Segment = RowOf<typeof SEGMENT>;

/**
 * Caches the data of segments, because a search while the user types reads the same segments repeatedly. The data of 65,536 messages takes
 * a few megabytes.
 */
const cache = new BufferCache(64 * 1_048_576);
/** If at most this many octets separate two lists of postings, both lists are read together with these octets. */
const MAX_GAP = 4_096;
/** If there are more ranges than this, everything between the first and the last is read at once. */
const MAX_RANGES = 200;

const unpack = promisify<Buffer, Buffer>(zstdDecompress);

/** Reads the segments in the order of their messages. @param after only segments with messages after this message id */
export async function readSegments(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  part: MessagePart,
  after: string = NIL_UUID,
): Promise<Segment[]> {
  const { rows } = await SEGMENT.sql`
    select part, first_object_id, last_object_id, documents, xmin::text as version from search_segments
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and part = ${part} and last_object_id > ${after}
    order by first_object_id`.execute(database);
  return rows;
}

function isRow({ projectId, mailboxId }: MailboxKey, segment: Segment): RawBuilder<boolean> {
  return sql<boolean>`project_id = ${projectId} and mailbox_id = ${mailboxId} and part = ${segment.part}
    and first_object_id = ${segment.firstObjectId} and xmin::text = ${segment.version}`;
}

const COLUMN = columnsOf({ octets: 'bytea' });

async function readCached(
  database: Database,
  key: MailboxKey,
  segment: Segment,
  column: 'objects' | 'terms',
): Promise<Buffer | null> {
  const name = [column, key.mailboxId, segment.part, segment.firstObjectId, segment.version].join(' ');
  const known = cache.get(name);
  if (known !== undefined) return known;
  const { rows } = await COLUMN.sql`
    select ${sql.ref(column)} as octets from search_segments where ${isRow(key, segment)}`.execute(database);
  const [row] = rows;
  if (row === undefined) return null;
  const octets = column === 'terms' ? await unpack(row.octets) : row.octets;
  cache.set(name, octets);
  return octets;
}

/** Reads the packed ids of a segment's messages, in order. @returns null if the segment no longer exists, because it was merged */
export function readObjects(database: Database, key: MailboxKey, segment: Segment): Promise<Buffer | null> {
  return readCached(database, key, segment, 'objects');
}

const POSTINGS = columnsOf({ postings: 'bytea?' });

/** The documents of a segment that contain all terms of a plan, as a bitmap. @returns null if the segment no longer exists */
export async function matchSegment(
  database: Database,
  key: MailboxKey,
  segment: Segment,
  plan: NeedlePlan,
): Promise<Uint8Array | null> {
  const { documents } = segment;
  const terms = await readCached(database, key, segment, 'terms');
  if (terms === null) return null;
  const list = new TermList(terms);
  const ranges = plan.queries.map((query) => [...list.find(query)]);
  const matching = new Uint8Array(bitmapLength(documents));
  if (ranges.some((found) => found.length === 0)) return matching;
  const reads = joinRanges(ranges.flat());
  const { rows } = await POSTINGS.sql`
    select (select string_agg(substring(postings from r.start + 1 for r.length), ''::bytea order by r.start)
      from unnest(${reads.map(({ start }) => start)}::int[], ${reads.map(({ length }) => length)}::int[]) as r (start, length)
    ) as postings from search_segments where ${isRow(key, segment)}`.execute(database);
  const [row] = rows;
  if (row === undefined) return null;
  const postings = new ReadPostings(reads, row.postings ?? Buffer.alloc(0));
  matching.fill(0xff);
  for (const found of ranges) {
    const bitmap = new Uint8Array(matching.length);
    for (const range of found) addPostings(bitmap, postings.at(range), documents);
    for (let at = 0; at < matching.length; at++)
      matching[at] = (matching[at] as number) & (bitmap[at] as number);
  }
  // Clear the bits after the last document.
  if (documents % 8 !== 0)
    matching[matching.length - 1] = (matching.at(-1) as number) & ((1 << (documents % 8)) - 1);
  return matching;
}

/** The ranges to read, sorted and without overlaps. */
function joinRanges(ranges: readonly PostingsRange[]): PostingsRange[] {
  const joined: PostingsRange[] = [];
  const maxGap = ranges.length > MAX_RANGES ? Number.POSITIVE_INFINITY : MAX_GAP;
  for (const { start, length } of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || start - (last.start + last.length) > maxGap) joined.push({ start, length });
    else last.length = Math.max(last.length, start + length - last.start);
  }
  return joined;
}

class ReadPostings {
  readonly #reads: readonly PostingsRange[];
  readonly #octets: Buffer;
  /** For each range that was read, its offset in the octets. */
  readonly #offsets: number[] = [];

  constructor(reads: readonly PostingsRange[], octets: Buffer) {
    this.#reads = reads;
    this.#octets = octets;
    let offset = 0;
    for (const { length } of reads) {
      this.#offsets.push(offset);
      offset += length;
    }
  }

  at({ start, length }: PostingsRange): Buffer {
    const n = this.#reads.findLastIndex((read) => read.start <= start);
    const offset = (this.#offsets[n] as number) + start - (this.#reads[n] as PostingsRange).start;
    return this.#octets.subarray(offset, offset + length);
  }
}
