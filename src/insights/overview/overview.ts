/** The overview of a project: the outcomes of its emails, and its queue. */
import type { Overview, OverviewRange } from '../../contract/dashboard/overview.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import { encodeId, timeOf } from '../../model/ids.ts';
import { IS_LATER } from '../../queue/fragments.ts';
import { outcomesOf } from '../counts/outcomes.ts';
import { readMetrics } from '../counts/read-metrics.ts';
import { retainedText, stepsOf } from './metrics.ts';

/** The queue is counted up to this number. A longer queue is shown as "more than" this number. */
const MAX_WAITING = 10_000;

const WAITING = columnsOf({
  waiting: 'int4',
  untried: 'int4',
  oldest: 'uuid?',
  scheduled: 'uuid?',
  scheduledAt: 'timestamptz?',
});

/** @param keepDays the number of days for which the installation keeps emails; null to keep them forever */
export async function readOverview(
  database: Database,
  projectId: string,
  range: OverviewRange,
  keepDays: number | null,
): Promise<Omit<Overview, 'needs'>> {
  const { from, stepMs, steps } = stepsOf(range, range === '24h' ? HOUR_MS : DAY_MS);
  const query = { projectId, by: 'all', from, stepMs, steps, keepDays } as const;
  const { all, countedAt, outcomesAt, retained } = await readMetrics(database, query);
  return {
    range,
    counted_at: countedAt?.toISOString() ?? null,
    outcomes_at: outcomesAt?.toISOString() ?? null,
    retained_since: retainedText(retained),
    total: outcomesOf(all?.total),
    steps: Array.from({ length: steps }, (_, at) => ({
      from: new Date(from.getTime() + at * stepMs).toISOString(),
      ...outcomesOf(all?.steps.get(at)),
    })),
    queue: await readQueue(database, projectId),
  };
}

async function readQueue(database: Database, projectId: string): Promise<Overview['queue']> {
  // An email that is scheduled for a later time does not count as waiting yet.
  const { rows } = await WAITING.sql`
    select count(*)::int as waiting, (count(*) filter (where attempts = 0))::int as untried,
      (array_agg(email_id order by email_id) filter (where scheduled_at is null))[1] as oldest,
      (array_agg(email_id order by scheduled_at) filter (where scheduled_at is not null))[1] as scheduled, min(scheduled_at) as scheduled_at
    from (
      select email_id, scheduled_at, attempts from queue
      where project_id = ${projectId} and not ${IS_LATER} limit ${MAX_WAITING + 1}
    ) q`.execute(database);
  const { waiting = 0, untried = 0, oldest = null, scheduled = null, scheduledAt = null } = rows[0] ?? {};
  const since = [
    ...(oldest === null ? [] : [{ id: oldest, time: timeOf(oldest) }]),
    ...(scheduled === null || scheduledAt === null ? [] : [{ id: scheduled, time: scheduledAt }]),
  ];
  const [first] = since.toSorted((one, other) => one.time.getTime() - other.time.getTime());
  return {
    waiting: Math.min(waiting, MAX_WAITING),
    untried: Math.min(untried, MAX_WAITING),
    is_longer: waiting > MAX_WAITING,
    oldest:
      first === undefined ? null : { id: encodeId('em', first.id), created_at: first.time.toISOString() },
  };
}
