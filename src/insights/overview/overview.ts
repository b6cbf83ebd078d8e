/** The overview of a project: the outcomes of its emails, and its queue. */
import { sql } from 'kysely';
import type { Overview, OverviewRange } from '../../contract/dashboard/overview.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import { encodeId, timeOf } from '../../model/ids.ts';
import { QUEUE_STATES } from '../../model/queue-states.ts';
import { IS_LATER } from '../../queue/fragments.ts';
import { IN_STATE } from '../../queue/states.ts';
import { outcomesOf } from '../counts/outcomes.ts';
import { readMetrics } from '../counts/read-metrics.ts';
import { retainedText, stepsOf } from './metrics.ts';

/** The queue is counted up to this number of recipients. Numbers of a longer queue are "more than". */
const MAX_WAITING = 10_000;

const WAITING = columnsOf({
  read: 'int4',
  hasMailboxMail: 'bool',
  /** In the order of `QUEUE_STATES`. */
  counts: 'int4[]',
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
  const counts = sql.join(
    QUEUE_STATES.map((state) => sql`(count(*) filter (where ${IN_STATE[state]}))::int`),
  );
  // An email that is scheduled for a later time does not count as waiting yet. Mail of mailboxes is in no list of emails.
  const { rows } = await WAITING.sql`
    with read as materialized (
      select * from queue where project_id = ${projectId} and not ${IS_LATER} limit ${MAX_WAITING + 1}
    )
    select (select count(*)::int from read) as read, exists (select from read where stream = 'mailbox') as has_mailbox_mail,
      array[${counts}] as counts,
      (array_agg(email_id order by email_id) filter (where scheduled_at is null))[1] as oldest,
      (array_agg(email_id order by scheduled_at) filter (where scheduled_at is not null))[1] as scheduled, min(scheduled_at) as scheduled_at
    from read where stream <> 'mailbox'`.execute(database);
  const [row] = rows;
  if (row === undefined) throw new TypeError('the count of the queue returned no row');
  const { read, hasMailboxMail, counts: values, oldest, scheduled, scheduledAt } = row;
  const since = [
    ...(oldest === null ? [] : [{ id: oldest, time: timeOf(oldest) }]),
    ...(scheduled === null || scheduledAt === null ? [] : [{ id: scheduled, time: scheduledAt }]),
  ];
  const [first] = since.toSorted((one, other) => one.time.getTime() - other.time.getTime());
  return {
    counts: QUEUE_STATES.map((state, at) => ({ state, recipients: Math.min(values[at] ?? 0, MAX_WAITING) })),
    is_longer: read > MAX_WAITING,
    has_mailbox_mail: hasMailboxMail,
    oldest:
      first === undefined ? null : { id: encodeId('em', first.id), created_at: first.time.toISOString() },
  };
}
