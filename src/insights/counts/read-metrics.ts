/**
 * Reads the outcomes of a project's emails over a time range. All pages read them here, so that their numbers agree. The newest emails are
 * counted for each request, up to a maximum number of recipients. The worker's counts of whole hours or days cover the rest of the range.
 */
import { sql } from 'kysely';
import { textArray } from '../../db/arrays.ts';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import type { Dimension } from '../../model/dimensions.ts';
import { firstUuidAt, timeOf } from '../../model/ids.ts';
import { countSteps, type StepPart } from './count-emails.ts';
import { LATENCY_BUCKETS } from './latency.ts';
import { type Freshness, readFreshness } from './read-freshness.ts';
import { readRetained } from './retained.ts';
import { NUMBERS, numbersAs, type TallyPart, Tally } from './tally.ts';
import { TIMINGS } from './timings.ts';
import { dayOf, PART_COLUMNS, snake } from './write-metrics.ts';

/** The maximum number of values that are shown by name, because a chart with more lines is unreadable. All other values form one series. */
export const SHOWN = 8;
/** The default of `maxLive`. Counting so many recipients takes about 40 ms. */
const COUNTED_LIVE = 5_000;

const VALUE = columnsOf({ value: 'text' });
const DAY = columnsOf({ day: 'timestamptz' });
const EMAIL_ID = columnsOf({ id: 'uuid' });
const UNCOUNTED = columnsOf({ hour: 'timestamptz?', last: 'timestamptz?' });
const STEP = columnsOf({
  ...numbersAs('float8'),
  dimension: shaped<Dimension>('text'),
  value: 'text',
  isRest: 'bool',
  latency: 'float8[]',
  at: 'int4',
});

export interface OutcomeQuery {
  projectId: string;
  by: Dimension;
  /** The start of the range: a full hour, or midnight (UTC) if a step is a day or longer. */
  from: Date;
  /** The length of a step: whole hours if it is less than a day, otherwise whole days. */
  stepMs: number;
  /** The last step contains the current time. */
  steps: number;
  /** The number of days for which the installation keeps emails. Null to keep them forever. */
  keepDays: number | null;
  /** The maximum number of recipients that are counted for the request. Default: 5,000. */
  maxLive?: number;
}

export interface SteppedPart {
  total: TallyPart;
  /** The non-empty steps, by the number of the step from 0. */
  steps: Map<number, TallyPart>;
}

export interface MetricsOfRange extends Freshness {
  /** All emails accepted since then still exist, unless they were erased. The year 1970 if none were deleted because of their age. */
  retained: Date;
  /** Undefined if there are no emails. */
  all: SteppedPart | undefined;
  /** The series, largest first. The sum of all other values is the last series. Empty without grouping. */
  parts: SteppedPart[];
  /** Whether all hours of the range were counted, except those of the last two hours. */
  isComplete: boolean;
}

/** A range, and the emails of it that were counted for the request. */
interface Source extends Omit<OutcomeQuery, 'by'> {
  /** A full hour. Emails accepted from this time on were counted for the request, and earlier ones by the worker. */
  liveFrom: Date;
  live: readonly StepPart[];
  /** The days whose hours are read, because the worker has not summed them. */
  daysByHour: readonly Date[];
}

export async function readMetrics(database: Database, query: OutcomeQuery): Promise<MetricsOfRange> {
  const { by } = query;
  const { source, retained } = await prepare(database, query);
  const [all] = await readSeries(database, source, 'all', ['']);
  return {
    all,
    parts:
      by === 'all' ? [] : await readSeries(database, source, by, await findLargest(database, source, by)),
    ...(await readState(database, source, retained)),
  };
}

/**
 * Reads the outcomes of the emails with one value of a dimension, without grouping.
 * @param query the dimension is `by`
 * @returns null if the stored counts of the range may contain some of these emails only in the sum of the values that have no own counts
 */
export async function readValue(
  database: Database,
  query: OutcomeQuery,
  value: string,
): Promise<MetricsOfRange | null> {
  const { by } = query;
  const { source, retained } = await prepare(database, query);
  const { rows } = await sql`select from ${found(source, by)} where is_rest limit 1`.execute(database);
  // The rest of the providers never contains recipients of a named one.
  if (rows.length > 0 && by !== 'provider') return null;
  const [all] = (await readSeries(database, source, by, [value])).filter(({ total }) => !total.isRest);
  return { all, parts: [], ...(await readState(database, source, retained)) };
}

/** Counts the newest emails of a range, and finds out which of the worker's counts cover the rest. */
async function prepare(database: Database, query: OutcomeQuery): Promise<{ source: Source; retained: Date }> {
  const { projectId, from, stepMs, steps, by } = query;
  const retained = await readRetained(database, projectId, query.keepDays);
  const liveFrom = await findLiveStart(database, query, retained);
  const until = new Date(from.getTime() + steps * stepMs);
  const live = await countSteps(database, query, [liveFrom, until], by === 'all' ? [by] : ['all', by]);
  const daysByHour = await findDaysByHour(database, query, liveFrom);
  return { source: { ...query, liveFrom, live, daysByHour }, retained };
}

async function readState(
  database: Database,
  { projectId, from, liveFrom }: Source,
  retained: Date,
): Promise<Omit<MetricsOfRange, 'all' | 'parts'>> {
  return {
    ...(await readFreshness(database, { projectId, from, until: liveFrom, retained })),
    isComplete: await isComplete(database, projectId, from, liveFrom),
    retained,
  };
}

/**
 * Finds the first full hour since which no emails were deleted, and few enough recipients were accepted to count them for a request. Emails
 * whose outcomes the worker no longer counts are not counted for a request either, so that the numbers do not depend on the volume.
 */
async function findLiveStart(
  database: Database,
  { projectId, from, stepMs, maxLive = COUNTED_LIVE }: OutcomeQuery,
  retained: Date,
): Promise<Date> {
  const earliest = from < retained ? retained : from;
  const young = new Date(clock.nowMs() - TIMINGS.oldMs);
  const first = earliest < young ? await findUncounted(database, projectId, earliest, young) : earliest;
  const { rows } = await EMAIL_ID.sql`
    select email_id as id from email_recipients where project_id = ${projectId} and email_id >= ${firstUuidAt(first)}
    order by email_id desc offset ${maxLive} limit 1`.execute(database);
  const [tooMany] = rows;
  const sinceMs = tooMany === undefined ? first.getTime() : timeOf(tooMany.id).getTime() + 1;
  // The worker's counts of a day cannot be split.
  const unitMs = stepMs >= DAY_MS && sinceMs < hoursSince().getTime() ? DAY_MS : HOUR_MS;
  return new Date(Math.ceil(sinceMs / unitMs) * unitMs);
}

/** The day of the first email of a range that the worker has not counted yet. @returns the end of the range if there is none */
async function findUncounted(database: Database, projectId: string, from: Date, until: Date): Promise<Date> {
  const { rows } = await UNCOUNTED.sql`
    select min(hour) filter (where metrics_at is null and hour >= ${from}) as hour, max(hour) as last
    from email_counts where project_id = ${projectId} and hour < ${until}`.execute(database);
  const { hour = null, last = null } = rows[0] ?? {};
  const after = last === null ? from : new Date(Math.max(from.getTime(), last.getTime() + HOUR_MS));
  const { rows: emails } = await EMAIL_ID.sql`
    select id from emails
    where project_id = ${projectId} and id >= ${firstUuidAt(after)} and id < ${firstUuidAt(until)}
    order by id limit 1`.execute(database);
  const first = hour ?? (emails[0] === undefined ? null : timeOf(emails[0].id));
  return first === null ? until : new Date(Math.max(from.getTime(), dayOf(first).getTime()));
}

async function readSeries(
  database: Database,
  source: Source,
  by: Dimension,
  shown: readonly string[],
): Promise<SteppedPart[]> {
  const rows = await readSteps(database, source, by, shown);
  const parts = [...shown.map((value) => ({ value, isRest: false })), { value: '', isRest: true }];
  return parts.flatMap(({ value, isRest }) => {
    const own = rows.filter((row) => row.value === value && row.isRest === isRest);
    const sum = new Tally(1);
    for (const { at: _, ...part } of own) sum.add(part);
    const [total] = sum.parts();
    return total === undefined ? [] : [{ total, steps: new Map(own.map(({ at, ...part }) => [at, part])) }];
  });
}

async function findLargest(database: Database, source: Source, by: Dimension): Promise<string[]> {
  const { rows } = await VALUE.sql`
    select value from ${found(source, by)} where not is_rest
    group by value order by sum(recipients) desc, value limit ${SHOWN}`.execute(database);
  return rows.map(({ value }) => value);
}

const SUMS = sql.join(
  NUMBERS.map(snake).map((name) => sql`sum(${sql.ref(name)})::float8 as ${sql.ref(name)}`),
);
const LATENCY = sql`array[${sql.join(
  Array.from(
    { length: LATENCY_BUCKETS },
    (_, at) => sql`coalesce(sum(latency[${sql.lit(at + 1)}]), 0)::float8`,
  ),
)}] as latency`;

async function readSteps(
  database: Database,
  source: Source,
  by: Dimension,
  shown: readonly string[],
): Promise<RowOf<typeof STEP>[]> {
  const { rows } = await STEP.sql`
    select ${by} as dimension, not is_shown as is_rest, case when is_shown then value else '' end as value, at, ${SUMS}, ${LATENCY}
    from ${found(source, by)}, lateral (select not is_rest and value = any (${textArray(shown)}::text[]) as is_shown) s
    group by is_shown, 3, at order by at`.execute(database);
  return rows;
}

const LIVE = rowsOf<StepPart>('l', { at: ['int4', ({ at }) => at], ...PART_COLUMNS });

/**
 * The rows of a dimension in the range, each with its step. Steps of a day or more use one row of the worker per day. Such a row may be
 * written hours after the day ends, so yesterday and today are read from the hourly rows. So are earlier days without such a row.
 */
function found({ projectId, from, liveFrom, live, stepMs, daysByHour }: Source, by: Dimension) {
  const hoursFrom = stepMs >= DAY_MS ? hoursSince() : from;
  const rows = (span: 'hour' | 'day', since: Date, until: Date) => sql`
    select floor(extract(epoch from begins_at - ${from}) * 1000 / ${stepMs})::int as at, ${sql.raw(Object.keys(PART_COLUMNS).join(', '))}
    from email_metrics where ${isStored(projectId, span, by, since, until)}
    union all`;
  return sql`(
    ${rows('day', from, hoursFrom < liveFrom ? hoursFrom : liveFrom)} ${rows('hour', hoursFrom, liveFrom)}
    ${sql.join(
      daysByHour.map((day) => rows('hour', day, new Date(day.getTime() + DAY_MS))),
      sql` `,
    )}
    select ${LIVE.values} from ${LIVE.from(live.filter(({ dimension }) => dimension === by))}
  ) found`;
}

function isStored(projectId: string, span: 'hour' | 'day', by: Dimension, since: Date, until: Date) {
  return sql`project_id = ${projectId} and span = ${sql.lit(span)} and dimension = ${by} and begins_at >= ${since} and begins_at < ${until}`;
}

/** Finds the days before yesterday whose hours were counted, but not summed yet. Usually, there are none, unless no worker runs. */
async function findDaysByHour(
  database: Database,
  { projectId, from, stepMs }: OutcomeQuery,
  liveFrom: Date,
): Promise<Date[]> {
  if (stepMs < DAY_MS) return [];
  const until = hoursSince() < liveFrom ? hoursSince() : liveFrom;
  const { rows } = await DAY.sql`
    select date_trunc('day', begins_at, 'UTC') as day from email_metrics where ${isStored(projectId, 'hour', 'all', from, until)}
    except select begins_at from email_metrics where ${isStored(projectId, 'day', 'all', from, until)}`.execute(
    database,
  );
  return rows.map(({ day }) => day);
}

/** The time from which hourly rows are read, even if a step is a day. */
function hoursSince(): Date {
  return new Date(dayOf(clock.now()).getTime() - DAY_MS);
}

async function isComplete(
  database: Database,
  projectId: string,
  from: Date,
  liveFrom: Date,
): Promise<boolean> {
  const until = new Date(Math.min(liveFrom.getTime(), clock.nowMs() - 2 * HOUR_MS));
  const { rows } = await sql`
    select from email_counts
    where project_id = ${projectId} and metrics_at is null and hour >= ${from} and hour < ${until}
    limit 1`.execute(database);
  return rows.length === 0;
}
