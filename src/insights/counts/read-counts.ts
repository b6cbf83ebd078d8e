/** Reads the outcomes of a project's emails over a time range. */
import { sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { firstUuidAt } from '../../model/ids.ts';
import { hourOf } from './count-hour.ts';
import { OUTCOME_COLUMNS, OUTCOMES, type Outcomes, sum } from './outcomes.ts';
import { type Freshness, readFreshness } from './read-freshness.ts';

/** Up to this many emails are counted during the request. For more, the worker's last counts are returned. */
const COUNTED_LIVE = 5_000;

const OUTCOMES_OF_HOUR = columnsOf({ ...OUTCOMES.kinds, hour: 'timestamptz' });

export interface OutcomeCounts {
  /** For each step of the range, oldest first. */
  steps: { from: Date; outcomes: Outcomes }[];
  total: Outcomes;
  freshness: Freshness;
}

/**
 * @param from the start of the range, which is rounded down to an hour
 * @param stepMs whole hours
 */
export async function readCounts(
  database: Database,
  projectId: string,
  from: Date,
  stepMs: number,
): Promise<OutcomeCounts> {
  const first = hourOf(from);
  const now = clock.now();
  const isLive = await isSmall(database, projectId, first);
  const hours = await (isLive ? countLive : readHours)(database, projectId, first);
  const steps = [];
  for (let startMs = first.getTime(); startMs <= now.getTime(); startMs += stepMs) {
    const inStep = hours.filter(({ hour }) => hour.getTime() >= startMs && hour.getTime() < startMs + stepMs);
    steps.push({ from: new Date(startMs), outcomes: sum(inStep.map(({ outcomes }) => outcomes)) });
  }
  const freshness = isLive
    ? { countedAt: now, outcomesAt: now }
    : await readFreshness(database, projectId, first);
  return { steps, total: sum(hours.map(({ outcomes }) => outcomes)), freshness };
}

interface Hour {
  hour: Date;
  outcomes: Outcomes;
}

async function isSmall(database: Database, projectId: string, from: Date): Promise<boolean> {
  const { rows } = await sql`
    select from emails where project_id = ${projectId} and id >= ${firstUuidAt(from)}
    order by id offset ${COUNTED_LIVE} limit 1`.execute(database);
  return rows.length === 0;
}

async function countLive(database: Database, projectId: string, from: Date): Promise<Hour[]> {
  const { rows } = await OUTCOMES_OF_HOUR.sql`
    select date_trunc('hour', created_at, 'UTC') as hour, ${OUTCOME_COLUMNS}
    from emails cross join lateral unnest(stages) stage
    where project_id = ${projectId} and id >= ${firstUuidAt(from)}
    group by 1 order by 1`.execute(database);
  return rows.map(({ hour, ...outcomes }) => ({ hour, outcomes }));
}

async function readHours(database: Database, projectId: string, from: Date): Promise<Hour[]> {
  const rows = await database
    .selectFrom('emailCounts')
    .select(['hour', 'emails', 'recipients', 'delivered', 'opened', 'clicked'])
    .select(['failed', 'bounced', 'complained'])
    .where('projectId', '=', projectId)
    .where('hour', '>=', from)
    .orderBy('hour')
    .execute();
  return rows.map(({ hour, ...outcomes }) => ({ hour, outcomes }));
}
