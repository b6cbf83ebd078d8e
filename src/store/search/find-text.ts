/**
 * Substring search over everything in a mailbox. What its segments cover is found by them; what came since is looked through,
 * and there is less than one segment of that, as long as `SearchIndexer` keeps up.
 */
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { sql } from 'kysely';
import { uuidArray } from '../../db/arrays.ts';
import type { Database } from '../../db/database.ts';
import { NIL_UUID } from '../../model/ids.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';
import { normalForm } from './normal-form.ts';
import { addPostings, bitmapLength, readPostings } from './postings.ts';
import { type PostingsRange, TermList } from './term-list.ts';
import { type NeedlePlan, planNeedle } from './terms.ts';

interface SegmentRow {
  firstObjectId: string;
  lastObjectId: string;
  documents: number;
  terms: Buffer;
}

export interface FoundText {
  /** `object_id` of the messages, each once, in no order. Some may have been deleted since. */
  objectIds: string[];
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
/** Between so many the loop serves others. */
const FOUND_AT_A_TIME = 5_000;
const UUID_DIGITS = 32;

/**
 * The messages of a mailbox whose subject, addresses, attachments' names or text contain some words, in whatever folder.
 * Upper and lower case and accents are the same (`normalForm`).
 * @param words not empty
 */
export async function findText(database: Database, key: MailboxKey, words: string): Promise<FoundText> {
  const needle = normalForm(words);
  const plan = planNeedle(needle);
  const found = new Set<string>();
  let last = NIL_UUID;
  for (let rows: SegmentRow[]; (rows = await readSegments(database, key, last)).length > 0; ) {
    for (const row of rows) {
      const candidates = await findInSegment(database, key, row, plan);
      // The larger one is read next, although a part of it may have been searched: it ends behind `last`.
      if (candidates === null) break;
      for (const id of plan.isExact ? candidates : await verify(database, key, candidates, needle))
        found.add(id);
      last = row.lastObjectId;
    }
  }
  const { rows } = await sql<{ found: string[] | null; unindexed: number }>`
    select array_agg(object_id) filter (where strpos(text, ${needle}) > 0) as found, count(*)::int as unindexed
    from message_contents
    where project_id = ${key.projectId} and mailbox_id = ${key.mailboxId} and object_id > ${last}`.execute(
    database,
  );
  const [rest] = rows;
  return { objectIds: [...found, ...(rest?.found ?? [])], unindexed: rest?.unindexed ?? 0 };
}

async function readSegments(database: Database, key: MailboxKey, after: string): Promise<SegmentRow[]> {
  const { rows } = await sql<SegmentRow>`
    select first_object_id, last_object_id, documents, terms from search_segments
    where project_id = ${key.projectId} and mailbox_id = ${key.mailboxId} and last_object_id > ${after}
    order by first_object_id limit ${PAGE}`.execute(database);
  return rows;
}

/** @returns null when the segment is not there any more: it is a part of a larger one */
async function findInSegment(
  database: Database,
  key: MailboxKey,
  { firstObjectId, lastObjectId, documents, terms }: SegmentRow,
  plan: NeedlePlan,
): Promise<string[] | null> {
  const list = new TermList(await unpack(terms));
  const ranges = plan.queries.map((query) => [...list.find(query)]);
  if (ranges.some((found) => found.length === 0)) return [];
  const reads = joinRanges(ranges.flat());
  const { rows } = await sql<{ objects: Buffer; postings: Buffer | null }>`
    select objects, (select string_agg(substring(postings from r.start + 1 for r.length), ''::bytea order by r.start)
      from unnest(${reads.map(({ start }) => start)}::int[], ${reads.map(({ length }) => length)}::int[]) as r (start, length)
    ) as postings from search_segments
    where project_id = ${key.projectId} and mailbox_id = ${key.mailboxId} and first_object_id = ${firstObjectId}
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
  const hex = row.objects.toString('hex');
  const found: string[] = [];
  for (const n of numbers) {
    found.push(uuidAt(hex, n));
    if (found.length % FOUND_AT_A_TIME === 0) await new Promise(setImmediate);
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

function uuidAt(hex: string, n: number): string {
  const at = n * UUID_DIGITS;
  return `${hex.slice(at, at + 8)}-${hex.slice(at + 8, at + 12)}-${hex.slice(at + 12, at + 16)}-${hex.slice(at + 16, at + 20)}-${hex.slice(at + 20, at + 32)}`;
}

async function verify(
  database: Database,
  key: MailboxKey,
  candidates: readonly string[],
  needle: string,
): Promise<string[]> {
  const found: string[] = [];
  for (let at = 0; at < candidates.length; at += VERIFIED_AT_A_TIME) {
    const ids = uuidArray(candidates.slice(at, at + VERIFIED_AT_A_TIME));
    const { rows } = await sql<{ objectId: string }>`
      select object_id from message_contents
      where project_id = ${key.projectId} and mailbox_id = ${key.mailboxId} and object_id = any(${ids}::uuid[])
        and strpos(text, ${needle}) > 0`.execute(database);
    for (const { objectId } of rows) found.push(objectId);
  }
  return found;
}
