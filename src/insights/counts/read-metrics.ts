/** Reads the outcomes of a project's emails over a time range, by dimension, from the worker's counts. */
import { type RawBuilder, sql } from 'kysely';
import { textArray } from '../../db/arrays.ts';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import type { Dimension } from '../../model/dimensions.ts';
import { LATENCY_BUCKETS } from './latency.ts';
import { NUMBERS, numbersAs, type TallyPart, Tally } from './tally.ts';
import { dayOf, snake } from './write-metrics.ts';

/** The maximum number of values that are shown by name, because a chart with more lines is unreadable. All other values form one series. */
const SHOWN = 8;

const VALUE = columnsOf({ value: 'text' });
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
}

export interface SteppedPart {
  total: TallyPart;
  /** The non-empty steps, by the number of the step from 0. */
  steps: Map<number, TallyPart>;
}

/** Reads the series, largest first. The sum of all other values is the last series. */
export async function readMetrics(database: Database, query: OutcomeQuery): Promise<SteppedPart[]> {
  const shown = query.by === 'all' ? [''] : await findLargest(database, query);
  const rows = await readSteps(database, query, shown);
  const parts = [...shown.map((value) => ({ value, isRest: false })), { value: '', isRest: true }];
  return parts.flatMap(({ value, isRest }) => {
    const own = rows.filter((row) => row.value === value && row.isRest === isRest);
    const sum = new Tally(1);
    for (const { at: _, ...part } of own) sum.add(part);
    const [total] = sum.parts();
    return total === undefined ? [] : [{ total, steps: new Map(own.map(({ at, ...part }) => [at, part])) }];
  });
}

async function findLargest(database: Database, query: OutcomeQuery): Promise<string[]> {
  const { rows } = await VALUE.sql`
    select value from ${found(query)} where not is_rest
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
  query: OutcomeQuery,
  shown: readonly string[],
): Promise<RowOf<typeof STEP>[]> {
  const { rows } = await STEP.sql`
    select ${query.by} as dimension, not is_shown as is_rest, case when is_shown then value else '' end as value,
           floor(extract(epoch from begins_at - ${query.from}) * 1000 / ${query.stepMs})::int as at, ${SUMS}, ${LATENCY}
    from ${found(query)}, lateral (select not is_rest and value = any (${textArray(shown)}::text[]) as is_shown) s
    group by is_shown, 3, at order by at`.execute(database);
  return rows;
}

/**
 * The metrics rows in the range. Steps of a day or more use one row per day. Such a row may be written hours after the day ends, so
 * yesterday and today are read from the hourly rows.
 */
function found({ projectId, by, from, stepMs }: OutcomeQuery): RawBuilder<unknown> {
  const byDay = stepMs >= DAY_MS;
  const hoursFrom = byDay ? new Date(dayOf(new Date(clock.nowMs())).getTime() - DAY_MS) : from;
  const rows = (span: 'hour' | 'day', since: Date, until: RawBuilder<unknown>) => sql`
    select * from email_metrics
    where project_id = ${projectId} and span = ${sql.lit(span)} and dimension = ${by} and begins_at >= ${since} ${until}`;
  const hours = rows('hour', hoursFrom, sql``);
  return byDay
    ? sql`(${rows('day', from, sql`and begins_at < ${hoursFrom}`)} union all ${hours}) found`
    : sql`(${hours}) found`;
}

/** Whether all hours of the range were counted, except those of the last two hours. */
export async function isComplete(database: Database, projectId: string, from: Date): Promise<boolean> {
  const { rows } = await sql`
    select from email_counts
    where project_id = ${projectId} and metrics_at is null and hour >= ${from} and hour < ${new Date(clock.nowMs() - 2 * HOUR_MS)}
    limit 1`.execute(database);
  return rows.length === 0;
}
