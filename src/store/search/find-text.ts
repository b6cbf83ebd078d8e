/**
 * Substring search over everything in a mailbox. What its segments cover is found by them; what came since is looked through,
 * and there is less than one segment of that, as long as `SearchIndexer` keeps up.
 */
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { NIL_UUID } from '../../model/ids.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';
import { type MessagePart, PART_TEXT } from './message-parts.ts';
import { ID_OCTETS, packedUuidArray } from './object-ids.ts';
import { addPostings, bitmapLength, readPostings } from './postings.ts';
import { type PostingsRange, TermList } from './term-list.ts';
import { type NeedlePlan, planNeedle } from './terms.ts';

interface SegmentRow {
  firstObjectId: string;
  lastObjectId: string;
  documents: number;
  terms: Buffer;
}

/** What is looked for. */
export interface TextQuery {
  part: MessagePart;
  /** In normal form, not empty. */
  needle: string;
  /** What has to be true too of a row `c` of `message_contents` whose part has the needle; null: nothing. */
  also: RawBuilder<boolean> | null;
  /** Whoever asks looks at each message: what the index takes for one that has the needle is enough. Default: no. */
  isRough?: boolean;
}

export interface FoundText {
  /** `object_id` of the messages, packed (`object-ids.ts`), each once, in no order. Some may have been deleted since. */
  ids: Buffer;
  /** How many messages no segment covers. */
  unindexed: number;
}

const unpack = promisify<Buffer, Buffer>(zstdDecompress);

/** Segments that are read at a time: the terms of one are some 0.5 to 1.5 MB. */
const PAGE = 2;
/** So far apart, two lists of postings are read with what is between them. */
const MAX_GAP = 4_096;
/** With more ranges than this, all is read at once. */
const MAX_RANGES = 200;
const VERIFIED_AT_A_TIME = 2_000;
/** Looked through in one statement: some tenths of a second. */
const LOOKED_THROUGH_AT_A_TIME = 10_000;
/** Between so many the loop serves others. */
const FOUND_AT_A_TIME = 50_000;

/**
 * The messages of a mailbox that have a text in a part of them, in whatever folder.
 * @param tick called between statements; what it throws ends the search
 */
export async function findText(
  database: Database,
  key: MailboxKey,
  query: TextQuery,
  tick: () => void = () => {},
): Promise<FoundText> {
  const plan = planNeedle(query.needle);
  const found: Buffer[] = [];
  let last = NIL_UUID;
  for (let rows: SegmentRow[]; (rows = await readSegments(database, key, query.part, last)).length > 0; ) {
    for (const row of rows) {
      tick();
      const candidates = await findInSegment(database, key, query.part, row, plan);
      // The larger one is read next, although a part of it may have been searched: it ends behind `last`.
      if (candidates === null) break;
      found.push(
        query.isRough === true || (plan.isExact && query.also === null)
          ? candidates
          : await verify(database, key, query, candidates, tick),
      );
      last = row.lastObjectId;
    }
  }
  const rest = await lookThrough(database, key, query, sql`not is_late and object_id > ${last}`, tick);
  const late = await lookThrough(database, key, query, sql`is_late`, tick);
  return { ids: Buffer.concat([...found, rest.ids, late.ids]), unindexed: rest.unindexed };
}

function matches({ part, needle, also }: TextQuery): RawBuilder<boolean> {
  const has = sql<boolean>`strpos(${PART_TEXT[part]}, ${needle}) > 0`;
  return also === null ? has : sql<boolean>`(${has} and ${also})`;
}

async function lookThrough(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  query: TextQuery,
  which: RawBuilder<unknown>,
  tick: () => void,
): Promise<FoundText> {
  const found: Buffer[] = [];
  let unindexed = 0;
  for (let after = NIL_UUID; ; ) {
    tick();
    const { rows } = await sql<{ ids: Buffer | null; count: number; last: string | null }>`
      select string_agg(uuid_send(object_id), ''::bytea) filter (where ${matches(query)}) as ids, count(*)::int as count,
        (array_agg(object_id order by object_id desc))[1] as last
      from (
        select * from message_contents
        where project_id = ${projectId} and mailbox_id = ${mailboxId} and ${which} and object_id > ${after}
        order by object_id limit ${LOOKED_THROUGH_AT_A_TIME}) c`.execute(database);
    const [row] = rows;
    if (row === undefined || row.last === null) break;
    found.push(row.ids ?? Buffer.alloc(0));
    unindexed += row.count;
    if (row.count < LOOKED_THROUGH_AT_A_TIME) break;
    after = row.last;
  }
  return { ids: Buffer.concat(found), unindexed };
}

async function readSegments(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  part: MessagePart,
  after: string,
): Promise<SegmentRow[]> {
  const { rows } = await sql<SegmentRow>`
    select first_object_id, last_object_id, documents, terms from search_segments
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and part = ${part} and last_object_id > ${after}
    order by first_object_id limit ${PAGE}`.execute(database);
  return rows;
}

/** @returns null when the segment is not there any more: it is a part of a larger one */
async function findInSegment(
  database: Database,
  key: MailboxKey,
  part: MessagePart,
  { firstObjectId, lastObjectId, documents, terms }: SegmentRow,
  plan: NeedlePlan,
): Promise<Buffer | null> {
  const list = new TermList(await unpack(terms));
  const ranges = plan.queries.map((query) => [...list.find(query)]);
  if (ranges.some((found) => found.length === 0)) return Buffer.alloc(0);
  const reads = joinRanges(ranges.flat());
  const { rows } = await sql<{ objects: Buffer; postings: Buffer | null }>`
    select objects, (select string_agg(substring(postings from r.start + 1 for r.length), ''::bytea order by r.start)
      from unnest(${reads.map(({ start }) => start)}::int[], ${reads.map(({ length }) => length)}::int[]) as r (start, length)
    ) as postings from search_segments
    where project_id = ${key.projectId} and mailbox_id = ${key.mailboxId} and part = ${part} and first_object_id = ${firstObjectId}
      and last_object_id = ${lastObjectId}`.execute(database);
  const [row] = rows;
  if (row === undefined) return null;
  const postings = new ReadPostings(reads, row.postings ?? Buffer.alloc(0));
  const matching = new Uint8Array(bitmapLength(documents)).fill(0xff);
  for (const found of ranges) {
    const bitmap = new Uint8Array(matching.length);
    for (const range of found) addPostings(bitmap, postings.at(range), documents);
    for (let at = 0; at < matching.length; at++)
      matching[at] = (matching[at] as number) & (bitmap[at] as number);
  }
  const numbers: number[] = [];
  readPostings(matching, documents, (n) => n < documents && numbers.push(n));
  const found = Buffer.allocUnsafe(numbers.length * ID_OCTETS);
  for (const [at, n] of numbers.entries()) {
    row.objects.copy(found, at * ID_OCTETS, n * ID_OCTETS, (n + 1) * ID_OCTETS);
    if (at % FOUND_AT_A_TIME === FOUND_AT_A_TIME - 1) await new Promise(setImmediate);
  }
  return found;
}

/** What is to be read, in order, without overlaps. */
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
  /** Where each of the reads begins in the octets. */
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

async function verify(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  query: TextQuery,
  candidates: Buffer,
  tick: () => void,
): Promise<Buffer> {
  const found: Buffer[] = [];
  const step = VERIFIED_AT_A_TIME * ID_OCTETS;
  for (let at = 0; at < candidates.length; at += step) {
    tick();
    const ids = packedUuidArray(candidates.subarray(at, at + step));
    const { rows } = await sql<{ ids: Buffer | null }>`
      select string_agg(uuid_send(object_id), ''::bytea) as ids from message_contents c
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and object_id = any(${ids}::uuid[])
        and ${matches(query)}`.execute(database);
    found.push(rows[0]?.ids ?? Buffer.alloc(0));
  }
  return Buffer.concat(found);
}
