/**
 * Finds the emails that match the filters of a list, newest first.
 *
 * Each statement is written so that PostgreSQL has only one plan: scan an index in the order of the ids, and fetch each email by its key.
 * Otherwise the planner would rely on statistics over all projects, which were wrong by a factor of 200 for a project with many matches
 * (docs/decisions/0029-a-list-walks-one-index.md).
 */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { Read } from '../../db/fair-reads.ts';
import { timeOf } from '../../model/ids.ts';
import { STATUS } from '../events/stored-status.ts';
import { EVERYTHING, type Filter } from './list-filters.ts';

/**
 * Sizes of a page, plus one row that shows whether another page follows. Each size is a separate prepared statement. Most clients request
 * 50 emails.
 */
const ROWS = [51, 201];
/**
 * The number of emails that one statement examines if several filters are combined. The first step is small, because it may already find
 * enough emails for the page.
 */
const STEPS = [1_000, 8_000, 32_000];
/**
 * A step ends at an id, which a first statement finds. If up to this many emails are inserted into the step's range before the second
 * statement reads it, they displace no other emails.
 */
const SPARE = 4_000;
/** Fetching one email by its key takes as long as reading this many emails in sequence. */
const LOOK_IN_READS = 8;

/** A range of ids that begins at `from` and ends before `before`. */
export interface Range {
  before: string;
  from: string;
}

/** The columns of an email in lists and search results. */
export const LISTED_EMAIL = columnsOf({
  id: 'uuid',
  status: 'int2',
  subject: 'text',
  sender: 'text',
  toList: 'text[]',
  tags: 'text[]',
  scheduledAt: 'timestamptz?',
});
export type ListedEmail = RowOf<typeof LISTED_EMAIL>;
/** The columns of `LISTED_EMAIL`, for a row `e` of `emails`. */
export const LISTED_COLUMNS = sql`
  e.id, ${STATUS} as status, e.subject, e.sender, e.to_list, e.tags, e.scheduled_at`;

/** @param limit at most 201 */
export async function findEmails(
  read: Read,
  projectId: string,
  filters: readonly Filter[],
  range: Range,
  limit: number,
): Promise<ListedEmail[]> {
  const rows = ROWS.find((rows) => rows >= limit) ?? limit;
  const found =
    filters.length > 1 || filters.some(({ isLoose, scans, anyOf }) => isLoose ?? scans ?? anyOf)
      ? await findStepwise(read, projectId, filters, range, rows)
      : await read((database) =>
          findAlong(
            database,
            walkMatches(projectId, filters[0] ?? EVERYTHING, range, rows),
            projectId,
            [],
            rows,
          ),
        );
  return found.slice(0, limit);
}

const EXAMINED = columnsOf({ examined: 'int4', matching: 'int4' });

/**
 * Counts emails along the index of one filter. What the index cannot test is tested on each email, fetched by its key.
 * @param limit the maximum number of index rows to examine
 * @returns how many rows were examined, and how many of their emails match
 */
export async function countEmails(
  database: Database,
  projectId: string,
  filter: Filter,
  range: Range,
  limit: number,
): Promise<{ examined: number; matching: number }> {
  // `offset 0` as in `findAlong`.
  const matches =
    filter.rest === undefined
      ? sql`select true as matches`
      : sql`select ${filter.check} as matches from emails e where e.project_id = ${projectId} and e.id = w.id offset 0`;
  const { rows } = await EXAMINED.sql`
    select count(*)::int as examined, (count(*) filter (where m.matches))::int as matching
    from (${walk(projectId, filter, range, limit)}) w
    left join lateral (${matches}) m on true`.execute(database);
  return rows[0] ?? { examined: 0, matching: 0 };
}

/**
 * Scans the filter with the fewest matching emails, or all emails if that filter matches a large share of them. Each step may choose
 * another filter, and other queries run between the steps.
 */
async function findStepwise(
  read: Read,
  projectId: string,
  filters: readonly Filter[],
  { before, from }: Range,
  rows: number,
): Promise<ListedEmail[]> {
  const found: ListedEmail[] = [];
  const indexed = filters.filter(({ scans }) => scans === undefined);
  const scanned = filters.find(({ scans }) => scans === 'own');
  for (let step = 0; ; step++) {
    const size = STEPS[Math.min(step, STEPS.length - 1)] ?? 0;
    const rest = { before, from };
    const [ofAll = null, ...ends] = await read((database) =>
      stepEnds(database, projectId, [EVERYTHING, ...indexed], rest, size),
    );
    const rarest = rarestOf(indexed, ends);
    const throughAll =
      indexed.length === 0 ||
      lengthOf(before, rarest.end) < LOOK_IN_READS * lengthOf(before, ofAll) ||
      ofAll === null;
    const end = throughAll ? ofAll : rarest.end;
    const part = { before, from: end ?? from };
    const along = throughAll ? scanned : rarest.filter;
    // The scan reads only the index. What the index cannot test is tested with the other filters.
    const others = filters.filter((filter) => filter !== along || filter.rest !== undefined);
    const passed = await read((database) =>
      along === undefined
        ? findThroughAll(database, projectId, filters, part, size + SPARE, rows)
        : findAlong(database, walk(projectId, along, part, size + SPARE), projectId, others, rows),
    );
    found.push(...passed);
    if (end === null || found.length >= rows) return found;
    before = end;
  }
}

/** The filter whose step reaches furthest back. A null end means that the remaining matches of the filter fit into one step. */
function rarestOf(filters: readonly Filter[], ends: readonly (string | null)[]) {
  const end = ends.includes(null) ? null : (ends.toSorted()[0] ?? null);
  return { end, filter: filters[ends.indexOf(end)] ?? EVERYTHING };
}

/** How far back in time a step reaches, in milliseconds. */
function lengthOf(before: string, end: string | null): number {
  return end === null ? Infinity : Math.min(timeOf(before).getTime(), Date.now()) - timeOf(end).getTime();
}

const STEP_ENDS = columnsOf({ ends: 'uuid?[]' });

/** For each filter, the id at which a step of `size` ends. Null if fewer matches are left. */
async function stepEnds(
  database: Database,
  projectId: string,
  filters: readonly Filter[],
  range: Range,
  size: number,
): Promise<(string | null)[]> {
  const ends = filters.map(
    (filter) => sql`(select id from (${walk(projectId, filter, range, size)}) w offset ${sql.lit(size - 1)})`,
  );
  const { rows } = await STEP_ENDS.sql`
    select array[${sql.join(ends)}] as ends`.execute(database);
  return rows[0]?.ends ?? [];
}

/** The newest emails that match all filters, among the emails of the scanned index entries. */
async function findAlong(
  database: Database,
  ids: RawBuilder<unknown>,
  projectId: string,
  filters: readonly Filter[],
  rows: number,
): Promise<ListedEmail[]> {
  // `offset 0` forces a lookup by key for each email. With a plain join, the planner may prefer a scan of the whole table.
  const found = await LISTED_EMAIL.sql`
    select e.*
    from (${ids}) w
    cross join lateral (
      select ${LISTED_COLUMNS} from emails e where e.project_id = ${projectId} and e.id = w.id ${checking(filters)} offset 0
    ) e
    order by w.id desc
    limit ${sql.lit(rows)}`.execute(database);
  return found.rows;
}

/** The newest emails in the range that match the filters. @param size the maximum number of emails in the range */
async function findThroughAll(
  database: Database,
  projectId: string,
  filters: readonly Filter[],
  { before, from }: Range,
  size: number,
  rows: number,
): Promise<ListedEmail[]> {
  const found = await LISTED_EMAIL.sql`
    select ${LISTED_COLUMNS}
    from (
      select * from emails
      where project_id = ${projectId} and id < ${before} and id >= ${from}
      order by id desc limit ${sql.lit(size)}
    ) e
    where true ${checking(filters)}
    order by e.id desc
    limit ${sql.lit(rows)}`.execute(database);
  return found.rows;
}

function checking(filters: readonly Filter[]): RawBuilder<unknown> {
  const checks = filters.map(({ check }) => sql`and ${check}`);
  return checks.length === 0 ? sql`` : sql.join(checks, sql` `);
}

/** The ids of a project's emails that match the filter, newest first, in index order. */
function walkMatches(projectId: string, filter: Filter, range: Range, limit: number): RawBuilder<unknown> {
  const where = filter.rest === undefined ? filter.where : sql<boolean>`${filter.where} and ${filter.rest}`;
  return walk(projectId, { ...filter, where }, range, limit);
}

/** Like `walkMatches`, but only by the index: some of the emails may not meet the filter's `rest`. */
function walk(
  projectId: string,
  { table, id, where, anyOf, scans }: Filter,
  { before, from }: Range,
  limit: number,
): RawBuilder<unknown> {
  const ids = (condition: RawBuilder<boolean>) => sql`
    select ${scans === 'own' ? sql`distinct` : sql``} ${id} as id from ${table}
    where project_id = ${projectId} and ${condition} and ${id} < ${before} and ${id} >= ${from}
    order by ${id} desc limit ${sql.lit(limit)}`;
  if (anyOf === undefined) return ids(where);
  const parts = anyOf.map((condition) => sql`(${ids(condition)})`);
  return sql`
    select id from (${sql.join(parts, sql` union all `)}) p order by id desc limit ${sql.lit(limit)}`;
}
