/**
 * Finds emails by words, newest first. First checks, one by one, the emails that are not indexed yet. Then searches the segments of the
 * index, from the newest to the oldest, until the page is full. Each match of the index is checked against the stored email, because the
 * email may have been deleted or changed since it was indexed.
 */
import { type RawBuilder, sql } from 'kysely';
import { textArray, uuidArray } from '../../db/arrays.ts';
import * as clock from '../../model/clock.ts';
import type { LogStatus } from '../../model/email-query.ts';
import { rankOf } from '../../model/email-status.ts';
import { NIL_UUID } from '../../model/ids.ts';
import { bitmapLength, readPostings } from '../../store/search/postings.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Read } from '../../db/fair-reads.ts';
import type { Range } from '../../sending/read/find-emails.ts';
import { hasStatus, statusFilter } from '../../sending/read/list-filters.ts';
import {
  hasWord,
  mayHaveWords,
  SEARCHED_EMAIL,
  type SearchedEmail,
  searchedColumns,
  type SearchTerm,
} from './searched-email.ts';
import { coveredUntil, ID_RANGE } from './segments.ts';
import { readBlock } from './word-blocks.ts';

/**
 * How many segments the first statement searches, the second, and so on. The first numbers are small, because a few segments may already
 * fill the page.
 */
const SEGMENTS = [2, 8, 32, 128];
/**
 * The maximum number of index rows that are read for a word in a segment. If more rows match, every email of the segment is a candidate for
 * the word.
 */
const MAX_BLOCKS = 16;
/** How many emails the first statement checks, and each further one. */
const STEP_SIZES = [250, 1_000];
/** The maximum number of unindexed emails that are checked, newest first. */
const MAX_UNINDEXED = 2_000;
/**
 * If a search is also by status, and there are more candidates than this, but fewer emails with the status, those emails are checked
 * instead.
 */
const LEAST_CANDIDATES = 500;
const LAST_CHARACTER = '\u{10ffff}';

export interface WordSearch {
  words: readonly SearchTerm[];
  status: LogStatus | null;
  /** Further conditions on a row `e` of `emails`. */
  checks: readonly RawBuilder<boolean>[];
}

export interface WordMatches {
  /** The matching emails, newest first. */
  emails: SearchedEmail[];
  /** The words that no checked email contains. */
  unmatched: SearchTerm[];
  /** False if not all emails were checked, because too many emails await indexing. */
  isComplete: boolean;
}

const SEGMENT = columnsOf({ ...ID_RANGE.kinds, documents: 'int4', isOpen: 'bool' });
type Segment = RowOf<typeof SEGMENT>;

const BLOCK = columnsOf({
  segmentId: 'uuid',
  /** The number of the key that the block belongs to. */
  place: 'int4',
  words: 'text',
  postings: 'bytea',
});
const EMAIL_ID = columnsOf({ id: 'uuid' });
const WALKED_EMAIL = columnsOf({ ...EMAIL_ID.kinds, hasStatus: 'bool' });
/** Emails that fail the further conditions are read too, because their words are not `unmatched`. */
const SCANNED_EMAIL = columnsOf({ ...SEARCHED_EMAIL.kinds, isMatching: 'bool' });
const COUNT = columnsOf({ count: 'int4' });

export async function searchEmails(
  read: Read,
  projectId: string,
  search: WordSearch,
  range: Range,
  limit: number,
): Promise<WordMatches> {
  return new Search(read, projectId, search, range, limit).run();
}

class Search {
  readonly #read: Read;
  readonly #projectId: string;
  readonly #search: WordSearch;
  readonly #range: Range;
  readonly #limit: number;
  readonly #columns: RawBuilder<unknown>;
  readonly #keys: { key: string; word: SearchTerm }[];
  readonly #found: SearchedEmail[] = [];
  readonly #unmatched: Set<SearchTerm>;

  constructor(read: Read, projectId: string, search: WordSearch, range: Range, wanted: number) {
    this.#read = read;
    this.#projectId = projectId;
    this.#search = search;
    this.#range = range;
    this.#limit = wanted;
    this.#columns = searchedColumns(search.words.some(({ field }) => field === 'stream'));
    this.#keys = search.words.flatMap((word) => word.needle.keys.map((key) => ({ key, word })));
    this.#unmatched = new Set(search.words);
  }

  async run(): Promise<WordMatches> {
    const { before, from } = this.#range;
    const covered = await this.#read((database) => coveredUntil(database, this.#projectId));
    const isComplete = await this.#scanRange(
      { before, from: from > covered ? from : covered },
      MAX_UNINDEXED,
    );
    for (let step = 0, end = before; !this.#isFull; step++) {
      const wanted = SEGMENTS[Math.min(step, SEGMENTS.length - 1)] ?? 0;
      const segments = await this.#readSegments(end, wanted);
      const before = this.#found.length;
      await this.#searchSegments(segments);
      if (!(await this.#stillExist(segments))) {
        this.#found.length = before;
        continue;
      }
      const last = segments.at(-1);
      if (last === undefined || segments.length < wanted) break;
      end = last.afterId;
    }
    return {
      emails: this.#found.slice(0, this.#limit),
      unmatched: this.#found.length > 0 ? [] : [...this.#unmatched],
      isComplete,
    };
  }

  get #isFull(): boolean {
    return this.#found.length >= this.#limit;
  }

  /** @param end an ID in the first segment to read, or the ID just after that segment */
  async #readSegments(end: string, limit: number): Promise<Segment[]> {
    const { rows } = await this.#read((database) =>
      SEGMENT.sql`
        select after_id, last_id, documents, ids is null as is_open from email_segments
        where project_id = ${this.#projectId} and after_id < ${end} and last_id >= ${this.#range.from}
          -- The index is by last_id, and the segment that contains the page's start ends after it.
          and last_id <= coalesce((
            select last_id from email_segments where project_id = ${this.#projectId} and last_id >= ${end} order by last_id limit 1), ${end})
        order by last_id desc limit ${limit}`.execute(database),
    );
    return rows;
  }

  /** Whether these segments still exist. Results from segments that were merged or reopened in the meantime are incomplete. */
  async #stillExist(segments: readonly Segment[]): Promise<boolean> {
    const indexed = segments.filter(({ isOpen }) => !isOpen).map(({ lastId }) => lastId);
    const { rows } = await this.#read((database) =>
      COUNT.sql`
        select count(*)::int as count from email_segments
        where project_id = ${this.#projectId} and last_id = any(${uuidArray(indexed)}::uuid[]) and ids is not null`.execute(
        database,
      ),
    );
    return rows[0]?.count === indexed.length;
  }

  async #searchSegments(segments: readonly Segment[]): Promise<void> {
    const indexed = segments.filter(({ isOpen }) => !isOpen);
    const candidates = await this.#findCandidates(indexed);
    const total = [...candidates.values()].reduce((sum, { length }) => sum + length, 0);
    const { status } = this.#search;
    if (status !== null && total > LEAST_CANDIDATES) {
      const ids = await this.#withStatus(status, segments, total);
      if (ids !== null) return this.#readByIds(ids);
    }
    // Collect the candidates up to the next open segment, and check them together.
    let positionsFound: SegmentPositions = { segments: [], positions: [] };
    for (const segment of segments) {
      if (segment.isOpen) {
        await this.#readByPositions(positionsFound);
        positionsFound = { segments: [], positions: [] };
        const { before, from } = this.#range;
        await this.#scanRange(
          {
            before: before < segment.lastId ? before : segment.lastId,
            from: from > segment.afterId ? from : segment.afterId,
            withLast: before > segment.lastId,
          },
          Number.POSITIVE_INFINITY,
        );
      }
      for (const position of candidates.get(segment.lastId) ?? []) {
        positionsFound.segments.push(segment.lastId);
        positionsFound.positions.push(position);
      }
    }
    await this.#readByPositions(positionsFound);
  }

  /** Returns the positions of the emails that have all words according to the index, by segment. The newest email of a segment is first. */
  async #findCandidates(segments: readonly Segment[]): Promise<Map<string, number[]>> {
    if (segments.length === 0) return new Map();
    const ids = segments.map(({ lastId }) => lastId);
    const { rows } = await this.#read((database) =>
      BLOCK.sql`
        select s.id as segment_id, k.place::int as place, b.words, b.postings
        from unnest(${uuidArray(ids)}::uuid[]) s(id)
        cross join unnest(${textArray(this.#keys.map(({ key }) => key))}::text[]) with ordinality k(key, place)
        cross join lateral (
          select words, postings from email_words w
          where w.project_id = ${this.#projectId} and w.segment_id = s.id and w.first_word < k.key || ${LAST_CHARACTER}
            and w.first_word >= coalesce((
              select first_word from email_words where project_id = ${this.#projectId} and segment_id = s.id and first_word <= k.key
              order by first_word desc limit 1), '')
            and strpos(w.words, e'\n' || k.key) > 0
          order by w.first_word limit ${MAX_BLOCKS + 1}
        ) b`.execute(database),
    );
    const blocks = Map.groupBy(rows, ({ segmentId, place }) => `${segmentId} ${place}`);
    return new Map(
      segments.map(({ lastId, documents }) => {
        const ofKeys = this.#keys.map((_, at) => blocks.get(`${lastId} ${at + 1}`) ?? []);
        const isWithoutOne = ofKeys.some((own) => own.length === 0);
        const matching = new Uint8Array(bitmapLength(documents)).fill(isWithoutOne ? 0 : 0xff);
        for (const [at, { key, word }] of this.#keys.entries()) {
          // No email of this segment can match any more. Read the remaining words only to find out whether any email has them.
          if (isWithoutOne && !this.#unmatched.has(word)) continue;
          const own = ofKeys[at] ?? [];
          if (own.length > MAX_BLOCKS) {
            this.#unmatched.delete(word);
            continue;
          }
          const bitmap = new Uint8Array(matching.length);
          for (const block of own)
            readBlock(block, documents, key, word.marks, (document) => {
              bitmap[document >> 3] = (bitmap[document >> 3] as number) | (1 << (document & 7));
            });
          if (bitmap.some((octet) => octet !== 0)) this.#unmatched.delete(word);
          for (let octet = 0; octet < matching.length; octet++)
            matching[octet] = (matching[octet] as number) & (bitmap[octet] as number);
        }
        const places: number[] = [];
        readPostings(matching, documents, (place) => place < documents && places.push(place));
        return [lastId, places.reverse()];
      }),
    );
  }

  /**
   * The emails with the status in the range of the segments. Null if the index has more rows than the limit, whatever their status is:
   * otherwise this could read the whole queue to find a few emails.
   */
  async #withStatus(
    status: LogStatus,
    segments: readonly Segment[],
    limit: number,
  ): Promise<string[] | null> {
    const first = segments.at(-1)?.afterId ?? NIL_UUID;
    const last = segments[0]?.lastId ?? NIL_UUID;
    const { before, from } = this.#range;
    const { table, id, where, rest } = statusFilter(status);
    const { rows } = await this.#read((database) =>
      WALKED_EMAIL.sql`
        select ${id} as id, ${rest ?? sql`true`} as has_status from ${table}
        where project_id = ${this.#projectId} and ${where} and ${id} > ${first} and ${id} <= ${last} and ${id} < ${before} and ${id} >= ${from}
        order by ${id} desc limit ${limit}`.execute(database),
    );
    return rows.length < limit ? rows.filter(({ hasStatus }) => hasStatus).map(({ id }) => id) : null;
  }

  #hasStatus(): RawBuilder<boolean> {
    const { status } = this.#search;
    return status === null ? sql`true` : hasStatus(status);
  }

  #meetsChecks(): RawBuilder<boolean> {
    return sql<boolean>`(${sql.join([sql`true`, ...this.#search.checks], sql` and `)})`;
  }

  #isInRange(): RawBuilder<boolean> {
    return sql`e.id < ${this.#range.before} and e.id >= ${this.#range.from}`;
  }

  async #readByIds(ids: readonly string[]): Promise<void> {
    for (let at = 0, step = 0; at < ids.length && !this.#isFull; step++) {
      const part = ids.slice(at, at + stepSize(step));
      at += part.length;
      await this.#readEmails(sql`select i.id from unnest(${uuidArray(part)}::uuid[]) i(id)`);
    }
  }

  async #readByPositions({ segments, positions }: SegmentPositions): Promise<void> {
    for (let at = 0, step = 0; at < segments.length && !this.#isFull; step++) {
      const end = at + stepSize(step);
      await this.#readEmails(sql`
        select encode(substring(s.ids from p.position * 16 + 1 for 16), 'hex')::uuid as id
        from unnest(${uuidArray(segments.slice(at, end))}::uuid[], ${positions.slice(at, end)}::int[]) p(segment_id, position)
        join email_segments s on s.project_id = ${this.#projectId} and s.last_id = p.segment_id and s.ids is not null`);
      at = end;
    }
  }

  async #readEmails(ids: RawBuilder<unknown>): Promise<void> {
    const { rows } = await this.#read((database) =>
      SEARCHED_EMAIL.sql`
        select e.* from (${ids}) i
        cross join lateral (
          select ${this.#columns} from emails e
          where e.project_id = ${this.#projectId} and e.id = i.id and ${this.#hasStatus()} and ${this.#isInRange()} and ${this.#meetsChecks()} offset 0
        ) e
        order by e.id desc`.execute(database),
    );
    this.#take(rows);
  }

  /**
   * Checks all emails of a range, one by one.
   * @param range `from` itself is excluded, except if it is the first ID of the search
   * @returns false if the range has more emails than the limit
   */
  async #scanRange(
    { before, from, withLast = false }: Range & { withLast?: boolean },
    limit: number,
  ): Promise<boolean> {
    let scanned = 0;
    const isAfter = from > this.#range.from ? sql`e.id > ${from}` : sql`e.id >= ${from}`;
    let isBefore = withLast ? sql`e.id <= ${before}` : sql`e.id < ${before}`;
    for (let step = 0; !this.#isFull; step++) {
      if (scanned >= limit) return false;
      const size = stepSize(step);
      const isOfProject = sql`e.project_id = ${this.#projectId} and ${isBefore} and ${isAfter}`;
      const { rows: ends } = await this.#read((database) =>
        EMAIL_ID.sql`
          select e.id from emails e where ${isOfProject} order by e.id desc limit 1 offset ${size - 1}`.execute(
          database,
        ),
      );
      const end = ends[0]?.id ?? this.#range.from;
      const { rows } = await this.#read((database) =>
        SCANNED_EMAIL.sql`
          select ${this.#columns}, ${this.#meetsChecks()} as is_matching from emails e
          where ${isOfProject} and e.id >= ${end} and ${mayHaveWords(this.#search.words)} order by e.id desc`.execute(
          database,
        ),
      );
      this.#take(rows);
      scanned += size;
      if (ends.length === 0) return true;
      isBefore = sql`e.id < ${end}`;
    }
    return true;
  }

  /** Adds those of the given emails that match. All are older than the emails found so far. */
  #take(emails: readonly (SearchedEmail & { isMatching?: boolean })[]): void {
    const { words, status } = this.#search;
    for (const email of emails) {
      const has = words.map((word) => {
        const isMatched = hasWord(email, word);
        if (isMatched) this.#unmatched.delete(word);
        return isMatched;
      });
      if (has.every(Boolean) && email.isMatching !== false && (status === null || isOfStatus(email, status)))
        this.#found.push(email);
    }
  }
}

interface SegmentPositions {
  segments: string[];
  positions: number[];
}

function stepSize(step: number): number {
  return STEP_SIZES[Math.min(step, STEP_SIZES.length - 1)] ?? 0;
}

function isOfStatus(email: SearchedEmail, status: LogStatus): boolean {
  if (status !== 'scheduled') return email.status === rankOf(status);
  return email.status === rankOf('queued') && (email.scheduledAt?.getTime() ?? 0) > clock.nowMs();
}
