/**
 * The word index (docs/decisions/0066-emails-by-words.md). A segment covers a few thousand consecutive emails of a project, in the order
 * of their IDs: one row of `email_segments`, and rows of `email_words` with the words of the emails.
 */
import { sql } from 'kysely';
import { textArray, byteaArray, uuidArray } from '../../db/arrays.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { NIL_UUID, timeOf } from '../../model/ids.ts';
import { eachKey } from './keys.ts';
import {
  FIELD_MARKS,
  SEARCHED_EMAIL,
  type SearchedEmail,
  searchedColumns,
  textsOf,
} from './searched-email.ts';
import { TIMINGS } from './timings.ts';
import { blocksOf } from './word-blocks.ts';

/** The key of the advisory lock for changing the index, over all machines. */
const LOCK = 7_340_030;
/**
 * The maximum number of emails of a segment. A search queries each segment, but a larger segment costs more to rebuild when an email is
 * erased.
 */
const SEGMENT_EMAILS = 4_096;
/** The minimum number of unindexed emails for a new segment. */
export const LEAST_EMAILS = 512;
/** The number of consecutive small segments that are merged into one. */
const MERGED = 8;
/** A segment ends when its words have this many characters, because building a segment takes several times as much memory. */
const SEGMENT_CHARACTERS = 4 * 1_048_576;
const PAGE = 256;

const EMAIL_ID = columnsOf({ id: 'uuid' });

/** A range of IDs: after `afterId`, up to and including `lastId`. */
export const ID_RANGE = columnsOf({ afterId: 'uuid', lastId: 'uuid' });
export type IdRange = RowOf<typeof ID_RANGE>;

const SEGMENT = columnsOf({ ...ID_RANGE.kinds, documents: 'int4' });
const OPEN_SEGMENT = columnsOf({ ...ID_RANGE.kinds, projectId: 'uuid' });
const UNSETTLED_SEGMENT = columnsOf({ ...OPEN_SEGMENT.kinds, isWhole: 'bool' });

/** Locks the index against other changes until the transaction ends. Searches take no lock. */
async function lockIndex(tx: DatabaseTransaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx);
}

/**
 * Removes emails from the index together with their whole segments. The emails of these segments are then checked one by one until they
 * are reindexed. Call this in the transaction that deletes or changes the emails. After the commit, no row of the index contains words of
 * these emails.
 */
export async function unindexEmails(
  tx: DatabaseTransaction,
  projectId: string,
  emailIds: readonly string[],
): Promise<void> {
  if (emailIds.length === 0) return;
  // The lock waits until a segment that is being built is committed, because that segment may contain the old words.
  await lockIndex(tx);
  await sql`
    with touched as (
      select distinct s.last_id from unnest(${uuidArray(emailIds)}::uuid[]) e(id)
      cross join lateral (
        select last_id, after_id from email_segments
        where project_id = ${projectId} and last_id >= e.id order by last_id limit 1
      ) s
      where s.after_id < e.id
    ), opened as (
      update email_segments s set ids = null from touched t where s.project_id = ${projectId} and s.last_id = t.last_id and s.ids is not null
    )
    delete from email_words w using touched t where w.project_id = ${projectId} and w.segment_id = t.last_id`.execute(
    tx,
  );
}

/** Removes all emails before an id from the index, in all projects. */
export async function unindexBefore(tx: DatabaseTransaction, until: string): Promise<void> {
  await lockIndex(tx);
  await sql`
    with gone as (
      delete from email_segments where last_id < ${until} returning project_id, last_id
    ), opened as (
      update email_segments set ids = null where after_id < ${until} and last_id >= ${until} and ids is not null returning project_id, last_id
    )
    delete from email_words w using (select * from gone union all select * from opened) s
    where w.project_id = s.project_id and w.segment_id = s.last_id`.execute(tx);
}

/** The ID of the last indexed email; the nil uuid if no email is indexed. */
export async function coveredUntil(database: Database, projectId: string): Promise<string> {
  const { rows } = await EMAIL_ID.sql`
    select last_id as id from email_segments where project_id = ${projectId} order by last_id desc limit 1`.execute(
    database,
  );
  return rows[0]?.id ?? NIL_UUID;
}

/**
 * Indexes the oldest unindexed emails of a project, if enough of them exist.
 * @param before only emails with smaller ids
 * @returns false if there were not enough emails
 */
export async function indexNext(database: Database, projectId: string, before: string): Promise<boolean> {
  const isDone = await database.transaction().execute(async (tx) => {
    await lockIndex(tx);
    const afterId = await coveredUntil(tx, projectId);
    const { rows } = await EMAIL_ID.sql`
      select id from emails where project_id = ${projectId} and id > ${afterId} and id < ${before}
      order by id limit ${SEGMENT_EMAILS}`.execute(tx);
    const last = rows.at(-1);
    if (last === undefined || rows.length < LEAST_EMAILS) return false;
    await build(tx, projectId, { afterId, lastId: last.id });
    return true;
  });
  if (isDone) await mergeLast(database, projectId);
  return isDone;
}

/** Reindexes a range of emails. The range must begin and end on segment boundaries. */
export async function indexAgain(database: Database, projectId: string, range: IdRange): Promise<void> {
  await database.transaction().execute(async (tx) => {
    await lockIndex(tx);
    await build(tx, projectId, range);
  });
}

async function mergeLast(database: Database, projectId: string): Promise<void> {
  const { rows } = await SEGMENT.sql`
    select after_id, last_id, documents from email_segments where project_id = ${projectId}
    order by last_id desc limit ${MERGED}`.execute(database);
  const [first, last] = [rows.at(-1), rows[0]];
  const areSmall = rows.every(({ documents }) => documents < LEAST_EMAILS * 2);
  if (rows.length < MERGED || !areSmall || first === undefined || last === undefined) return;
  await indexAgain(database, projectId, { afterId: first.afterId, lastId: last.lastId });
}

/** Replaces the segments of a range. A range without emails gets no segment. */
async function build(
  tx: DatabaseTransaction,
  projectId: string,
  { afterId, lastId }: IdRange,
): Promise<void> {
  // This is computed before the emails are read. An email that is committed after the read is missed here, and found by `settle`.
  const isSettled = timeOf(lastId).getTime() < clock.nowMs() - TIMINGS.settledMs;
  await sql`
    with gone as (
      delete from email_segments where project_id = ${projectId} and last_id > ${afterId} and last_id <= ${lastId} returning last_id
    )
    delete from email_words w using gone g where w.project_id = ${projectId} and w.segment_id = g.last_id`.execute(
    tx,
  );
  for (let after = afterId; after < lastId; ) {
    const segment = await readWords(tx, projectId, { afterId: after, lastId });
    if (segment.ids.length === 0) return;
    // The last segment extends to the end of the range.
    const end = segment.isLast ? lastId : (segment.ids.at(-1) ?? lastId);
    await sql`
      insert into email_segments (project_id, after_id, last_id, documents, ids, is_settled)
      values (${projectId}, ${after}, ${end}, ${segment.ids.length},
        ${Buffer.from(segment.ids.join('').replaceAll('-', ''), 'hex')}, ${isSettled})`.execute(tx);
    const blocks = [...blocksOf(segment.words, segment.ids.length)];
    await sql`
      insert into email_words (project_id, segment_id, first_word, words, postings)
      select ${projectId}, ${end}, first_word, words, postings
      from unnest(${textArray(blocks.map(({ firstWord }) => firstWord))}::text[], ${textArray(blocks.map(({ words }) => words))}::text[],
        ${byteaArray(blocks.map(({ postings }) => postings))}::bytea[]) b(first_word, words, postings)`.execute(
      tx,
    );
    after = end;
  }
}

interface Words {
  ids: string[];
  words: Map<string, number[]>;
  /** Whether the segment covers the rest of the range. */
  isLast: boolean;
}

/** The words of the first emails in a range, up to the number of emails or characters that fills a segment. */
async function readWords(
  tx: DatabaseTransaction,
  projectId: string,
  { afterId, lastId }: IdRange,
): Promise<Words> {
  const ids: string[] = [];
  const words = new Map<string, number[]>();
  let characters = 0;
  for (let after = afterId; ids.length < SEGMENT_EMAILS && characters < SEGMENT_CHARACTERS; ) {
    const { rows } = await SEARCHED_EMAIL.sql`
      select ${searchedColumns(true)} from emails e
      where e.project_id = ${projectId} and e.id > ${after} and e.id <= ${lastId}
      order by e.id limit ${PAGE}`.execute(tx);
    for (const email of rows) {
      const document = ids.push(email.id) - 1;
      eachWord(email, (word) => {
        const list = words.get(word);
        if (list === undefined) {
          words.set(word, [document]);
          characters += word.length;
        } else if (list.at(-1) !== document) list.push(document);
      });
    }
    after = ids.at(-1) ?? after;
    if (rows.length < PAGE) return { ids, words, isLast: true };
  }
  return { ids, words, isLast: ids.at(-1) === lastId };
}

function eachWord(email: SearchedEmail, visit: (word: string) => void): void {
  for (const field of ['to', 'from', 'subject', 'tag', 'stream'] as const)
    for (const text of textsOf(email, field)) eachKey(text, (key) => visit(`${key}\t${FIELD_MARKS[field]}`));
}

export type OpenSegment = RowOf<typeof OPEN_SEGMENT>;

/** Condition: a segment is to be indexed again. */
export const HAS_OPEN_SEGMENTS = sql`exists (select from email_segments where ids is null)`;

/** Finds segments that must be reindexed, of all projects. */
export async function findOpen(database: Database, limit: number): Promise<OpenSegment[]> {
  const { rows } = await OPEN_SEGMENT.sql`
    select project_id, after_id, last_id from email_segments where ids is null order by project_id, last_id limit ${limit}`.execute(
    database,
  );
  return rows;
}

/**
 * Checks segments whose emails must all be committed by now, then opens each segment that lacks an email.
 * @param before only segments that end before this id are checked
 * @returns the number of checked segments
 */
export async function settle(database: Database, before: string, limit: number): Promise<number> {
  return database.transaction().execute(async (tx) => {
    await lockIndex(tx);
    const { rows } = await UNSETTLED_SEGMENT.sql`
      select s.project_id, s.after_id, s.last_id, s.documents = (
        select count(*) from emails e where e.project_id = s.project_id and e.id > s.after_id and e.id <= s.last_id) as is_whole
      from (
        select * from email_segments where not is_settled and ids is not null and last_id < ${before}
        order by project_id, last_id limit ${limit}
      ) s`.execute(tx);
    for (const { projectId, lastId, isWhole } of rows) {
      if (!isWhole) await unindexEmails(tx, projectId, [lastId]);
      else
        await sql`
          update email_segments set is_settled = true where project_id = ${projectId} and last_id = ${lastId}`.execute(
          tx,
        );
    }
    return rows.length;
  });
}
