/** The numbers of a weekly digest. They are read by the code of the metrics page, so that they agree with it. */
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { type Outcomes, outcomesOf } from '../../insights/counts/outcomes.ts';
import { readMetrics, type SteppedPart } from '../../insights/counts/read-metrics.ts';
import type { BounceCategory } from '../../model/bounce.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS } from '../../model/day.ts';
import { rankOf } from '../../model/email-status.ts';
import { firstUuidAt } from '../../model/ids.ts';

const DAYS = 7;
/** The bounced emails whose reasons are counted, the latest first: one index entry and one read of the timeline for each. */
const MAX_BOUNCED = 500;
/** The number of reasons and of mailbox providers in a digest. */
const SHOWN = 3;

const REASON = columnsOf({ category: 'text', count: 'int4' });

/** Two weeks of a project in numbers. A week is seven days (UTC). */
export interface WeekInNumbers {
  /** The start and the end of the week, as API timestamps. */
  from: string;
  until: string;
  week: Outcomes;
  /** The outcomes of the week before. */
  before: Outcomes;
  /** The most frequent reasons of bounces, in up to 500 emails. */
  reasons: { category: BounceCategory; count: number }[];
  /** The mailbox providers with the most bounced recipients. Empty name: all providers without a name of their own. */
  providers: { name: string; bounced: number; recipients: number }[];
}

interface WeekOf {
  projectId: string;
  /** The digest is about the seven full days (UTC) before this time. */
  dueAt: Date;
  /** The number of days for which the installation keeps emails. Null to keep them forever. */
  keepDays: number | null;
}

/** @returns null if the project had no emails in either week */
export async function readWeek(
  database: Database,
  { projectId, dueAt, keepDays }: WeekOf,
): Promise<WeekInNumbers | null> {
  const until = new Date(Math.floor(dueAt.getTime() / DAY_MS) * DAY_MS);
  const weekFrom = new Date(until.getTime() - DAYS * DAY_MS);
  const from = new Date(weekFrom.getTime() - DAYS * DAY_MS);
  const steps = Math.floor((clock.nowMs() - from.getTime()) / DAY_MS) + 1;
  const query = { projectId, by: 'provider', from, stepMs: DAY_MS, steps, keepDays } as const;
  const { all, parts } = await readMetrics(database, query);
  const before = sumOf(all, 0);
  const week = sumOf(all, DAYS);
  if (week.emails === 0 && before.emails === 0) return null;
  return {
    from: weekFrom.toISOString(),
    until: until.toISOString(),
    week,
    before,
    reasons: week.bounced === 0 ? [] : await readReasons(database, projectId, weekFrom, until),
    providers: parts
      .map((part) => ({ name: part.total.value, ...sumOf(part, DAYS) }))
      .filter(({ bounced }) => bounced > 0)
      .toSorted((one, other) => other.bounced - one.bounced)
      .slice(0, SHOWN)
      .map(({ name, bounced, recipients }) => ({ name, bounced, recipients })),
  };
}

/** The sum of seven steps. */
function sumOf(part: SteppedPart | undefined, first: number): Outcomes {
  const sum = outcomesOf(undefined);
  for (let at = first; at < first + DAYS; at += 1) {
    const step = outcomesOf(part?.steps.get(at));
    for (const name of Object.keys(sum) as (keyof Outcomes)[]) sum[name] += step[name];
  }
  return sum;
}

async function readReasons(
  database: Database,
  projectId: string,
  from: Date,
  until: Date,
): Promise<WeekInNumbers['reasons']> {
  const { rows } = await REASON.sql`
    with bounced as materialized (
      select id from emails
      where project_id = ${projectId} and status = ${rankOf('bounced')} and id >= ${firstUuidAt(from)} and id < ${firstUuidAt(until)}
      order by id desc limit ${MAX_BOUNCED}
    )
    select v.detail->>'category' as category, count(*)::int as count
    from bounced b join events v on v.project_id = ${projectId} and v.email_id = b.id and v.type = 'bounced'
      and v.email_id >= ${firstUuidAt(from)} and v.email_id < ${firstUuidAt(until)}
    group by 1 order by 2 desc, 1 limit ${SHOWN}`.execute(database);
  return rows.map(({ category, count }) => ({ category: category as BounceCategory, count }));
}
