/** Stores the outcomes of an hour by dimension and sums hours into days. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { type Columns, rowsOf } from '../../db/rows.ts';
import * as clock from '../../model/clock.ts';
import { DIMENSIONS } from '../../model/dimensions.ts';
import { firstUuidAt } from '../../model/ids.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import { NUMBERS, type TallyPart, Tally } from './tally.ts';
import { TIMINGS } from './timings.ts';

/**
 * The maximum number of values per dimension that the counts of a day contain by name. A chart of a year reads all of them for each day,
 * and shows only a third as many.
 */
const DAY_VALUES = 25;

/** The start of the day (UTC) that contains a time. */
export function dayOf(time: Date): Date {
  return new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS);
}

const COUNTED = columnsOf({ last: 'timestamptz?', isOver: 'bool?' });

interface Span {
  projectId: string;
  span: 'hour' | 'day';
  beginsAt: Date;
}

/** The columns of `email_metrics` that contain a part. */
export const PART_COLUMNS: Columns<TallyPart> = {
  dimension: ['text', ({ dimension }) => dimension],
  is_rest: ['bool', ({ isRest }) => isRest],
  value: ['text', ({ value }) => value],
  ...Object.fromEntries(
    NUMBERS.map((name) => [snake(name), ['int4', (part: TallyPart) => part[name]] as const]),
  ),
  latency: ['int4[]', ({ latency }) => latency],
};
const PARTS = rowsOf('p', PART_COLUMNS);

export function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const CHANGING = [...NUMBERS.map(snake), 'latency'];
const changes = sql.raw(CHANGING.map((name) => `${name} = excluded.${name}`).join(', '));
const rowOf = (table: string) => sql.raw(`(${CHANGING.map((name) => `${table}.${name}`).join(', ')})`);
/** Matches any dimension. It lists them because PostgreSQL then reads one range of the primary key for each. */
const anyDimension = sql<boolean>`dimension in (${sql.join(DIMENSIONS.map((name) => sql.lit(name)))})`;

/**
 * Stores the parts of an hour. After the end of the day, also sums the hours of the day. Until the day has a sum, its hours are read
 * instead.
 * @param parts null to leave the stored parts unchanged
 */
export async function writeMetrics(
  tx: DatabaseTransaction,
  projectId: string,
  hour: Date,
  parts: readonly TallyPart[] | null,
): Promise<void> {
  if (parts !== null) await replaceParts(tx, { projectId, span: 'hour', beginsAt: hour }, parts);
  const day = dayOf(hour);
  if (day.getTime() + DAY_MS > clock.nowMs()) return;
  const tally = new Tally(DAY_VALUES);
  const hours = await tx
    .selectFrom('emailMetrics')
    .select(['dimension', 'isRest', 'value', 'latency', ...NUMBERS])
    .where('projectId', '=', projectId)
    .where('span', '=', 'hour')
    .where(anyDimension)
    .where('beginsAt', '>=', day)
    .where('beginsAt', '<', endOf(day))
    .execute();
  for (const part of hours) tally.add(part);
  await replaceParts(tx, { projectId, span: 'day', beginsAt: day }, tally.parts());
}

/**
 * Deletes the hourly counts of a day, of which the daily sum remains. Does nothing if an hour will still be recounted or was never counted.
 */
export async function dropHours(tx: DatabaseTransaction, projectId: string, day: Date): Promise<void> {
  const isOfDay = (column: RawBuilder<unknown>) => sql`${column} >= ${day} and ${column} < ${endOf(day)}`;
  const { rows } = await COUNTED.sql`
    select max(hour) as last, bool_and(next_at = 'infinity' and metrics_at is not null) as is_over
    from email_counts where project_id = ${projectId} and ${isOfDay(sql`hour`)}`.execute(tx);
  const { last = null, isOver } = rows[0] ?? {};
  // `last` is null if no hour of the day was counted.
  if (last === null || isOver !== true) return;
  if (await hasEmails(tx, projectId, new Date(last.getTime() + HOUR_MS), endOf(day))) return;
  await sql`
    delete from email_metrics
    where project_id = ${projectId} and span = 'hour' and ${anyDimension} and ${isOfDay(sql`begins_at`)}`.execute(
    tx,
  );
}

/** Deletes the counts of days that are older than the retention period for counts. */
export async function forgetDays(database: Database): Promise<void> {
  await database
    .deleteFrom('emailMetrics')
    .where('span', '=', 'day')
    .where('beginsAt', '<', new Date(clock.nowMs() - TIMINGS.keepMs))
    .execute();
}

function endOf(day: Date): Date {
  return new Date(day.getTime() + DAY_MS);
}

export async function hasEmails(
  database: Database | DatabaseTransaction,
  projectId: string,
  from: Date,
  until: Date,
): Promise<boolean> {
  const { rows } = await sql`
    select from emails
    where project_id = ${projectId} and id >= ${firstUuidAt(from)} and id < ${firstUuidAt(until)} limit 1`.execute(
    database,
  );
  return rows.length > 0;
}

/** Replaces the stored parts with the given parts. Unchanged rows are not written. */
async function replaceParts(
  tx: DatabaseTransaction,
  { projectId, span, beginsAt }: Span,
  parts: readonly TallyPart[],
): Promise<void> {
  await sql`
    delete from email_metrics
    where project_id = ${projectId} and span = ${span} and ${anyDimension} and begins_at = ${beginsAt}
      and (dimension, is_rest, value) not in (select p.dimension, p.is_rest, p.value from ${PARTS.from(parts)})`.execute(
    tx,
  );
  await sql`
    insert into email_metrics as m (project_id, span, begins_at, ${PARTS.names})
    select ${projectId}, ${span}, ${beginsAt}, ${PARTS.values} from ${PARTS.from(parts)}
    on conflict (project_id, span, dimension, begins_at, is_rest, value) do update set ${changes}
    where ${rowOf('m')} is distinct from ${rowOf('excluded')}`.execute(tx);
}
