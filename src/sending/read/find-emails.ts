/**
 * Finds the emails that pass the filters of a list, newest first.
 *
 * The shape of each statement leaves PostgreSQL one plan: a walk through an index, in the order of the ids, and a look at
 * each email on the way. Its own choice would rest on what is true of all projects together, and was wrong by a factor of
 * 200 for one that has many hits (docs/decisions/0029-a-list-walks-one-index.md).
 */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { Read } from '../../db/fair-reads.ts';
import { timeOf } from '../../model/ids.ts';
import { EVERYTHING, type Filter } from './list-filters.ts';

/**
 * What a page may hold, with one more that tells whether another page follows: each number is a statement of its own. Most
 * ask for 50.
 */
const ROWS = [51, 201];
/** How many emails are looked at in one statement where several filters meet: few at first, since they may pass. */
const STEPS = [1_000, 8_000, 32_000];
/** A step ends at an id. So many emails may come into it between the two statements, and push no other one out. */
const SPARE = 4_000;
/** To look at one email by its key takes as long as to read so many in their order. */
const LOOK_IN_READS = 8;
const COLUMNS = sql.raw('e.id, e.status, e.subject, e.sender, e.to_list, e.tags, e.scheduled_at');

/** Ids before the one and from the other on. */
export interface Range {
  before: string;
  from: string;
}

const LISTED_EMAIL = columnsOf({
  id: 'uuid',
  status: 'int2',
  subject: 'text',
  sender: 'text',
  toList: 'text[]',
  tags: 'text[]',
  scheduledAt: 'timestamptz?',
});
export type ListedEmail = RowOf<typeof LISTED_EMAIL>;

/** @param wanted at most 201 */
export async function findEmails(
  read: Read,
  projectId: string,
  filters: readonly Filter[],
  range: Range,
  wanted: number,
): Promise<ListedEmail[]> {
  const rows = ROWS.find((rows) => rows >= wanted) ?? wanted;
  const found =
    filters.length > 1
      ? await findStepwise(read, projectId, filters, range, rows)
      : await read((database) =>
          findAlong(database, walk(projectId, filters[0] ?? EVERYTHING, range, rows), projectId, [], rows),
        );
  return found.slice(0, wanted);
}

/**
 * Goes along the filter that fewest emails pass, or through all emails where that is not much more. In each step another
 * filter may be the rarest, and whoever waits has a turn in between.
 */
async function findStepwise(
  read: Read,
  projectId: string,
  filters: readonly Filter[],
  { before, from }: Range,
  rows: number,
): Promise<ListedEmail[]> {
  const found: ListedEmail[] = [];
  for (let step = 0; ; step++) {
    const size = STEPS[Math.min(step, STEPS.length - 1)] ?? 0;
    const rest = { before, from };
    const [ofAll = null, ...ends] = await read((database) =>
      stepEnds(database, projectId, [EVERYTHING, ...filters], rest, size),
    );
    const rarest = rarestOf(filters, ends);
    const throughAll =
      lengthOf(before, rarest.end) < LOOK_IN_READS * lengthOf(before, ofAll) || ofAll === null;
    const end = throughAll ? ofAll : rarest.end;
    const part = { before, from: end ?? from };
    const others = filters.filter((filter) => filter !== rarest.filter);
    const passed = await read((database) =>
      throughAll
        ? findThroughAll(database, projectId, filters, part, size + SPARE, rows)
        : findAlong(database, walk(projectId, rarest.filter, part, size + SPARE), projectId, others, rows),
    );
    found.push(...passed);
    if (end === null || found.length >= rows) return found;
    before = end;
  }
}

/** The filter that reaches back furthest in one step. Null as an end: what passes it is no more than a step. */
function rarestOf(filters: readonly Filter[], ends: readonly (string | null)[]) {
  const end = ends.includes(null) ? null : (ends.toSorted()[0] ?? null);
  return { end, filter: filters[ends.indexOf(end)] ?? EVERYTHING };
}

/** How far back a step reaches, in milliseconds. */
function lengthOf(before: string, end: string | null): number {
  return end === null ? Infinity : Math.min(timeOf(before).getTime(), Date.now()) - timeOf(end).getTime();
}

const STEP_ENDS = columnsOf({ ends: 'uuid?[]' });

/** For each filter the id at which a step of the size ends; null: not so many emails are left that pass it. */
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

/** The newest emails of the walk that pass the filters. */
async function findAlong(
  database: Database,
  ids: RawBuilder<unknown>,
  projectId: string,
  filters: readonly Filter[],
  rows: number,
): Promise<ListedEmail[]> {
  // `offset 0`: each email is looked at by its key. Joined freely, a walk of the whole table may seem cheaper.
  const found = await LISTED_EMAIL.sql`
    select ${COLUMNS}
    from (${ids}) w
    cross join lateral (
      select ${COLUMNS} from emails e where e.project_id = ${projectId} and e.id = w.id ${checking(filters)} offset 0
    ) e
    order by w.id desc
    limit ${sql.lit(rows)}`.execute(database);
  return found.rows;
}

/** The newest emails of the range that pass the filters. @param size how many emails are in the range, at most */
async function findThroughAll(
  database: Database,
  projectId: string,
  filters: readonly Filter[],
  { before, from }: Range,
  size: number,
  rows: number,
): Promise<ListedEmail[]> {
  const found = await LISTED_EMAIL.sql`
    select ${COLUMNS}
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

/** The ids of a project's emails that pass the filter, newest first, as an index has them. */
function walk(
  projectId: string,
  { table, id, where }: Filter,
  { before, from }: Range,
  limit: number,
): RawBuilder<unknown> {
  return sql`
    select ${id} as id from ${table}
    where project_id = ${projectId} and ${where} and ${id} < ${before} and ${id} >= ${from}
    order by ${id} desc limit ${sql.lit(limit)}`;
}
