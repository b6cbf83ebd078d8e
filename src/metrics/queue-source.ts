/** The amount of work in the queue, and its delay. */
import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { instanceGauge } from '../observe/define.ts';
import { DUE } from '../queue/claim.ts';
import { dueRows } from '../queue/due-rows.ts';
import { readPause } from '../queue/pause.ts';
import { IS_SET_ASIDE } from '../queue/provider-kind.ts';
import { TIMINGS } from '../queue/timings.ts';
import { findingFairShares } from '../queue/fair-shares.ts';
import { type FigureSource, withdrawAll } from './figures.ts';

/** Each count of queue rows stops at this number. */
export const MAX_COUNTED = 1_000_000;
/**
 * To count the claimed rows, at most this many rows that are due are read, divided evenly among the streams of all projects. Those that
 * have been due longest are read, because workers claim them first.
 */
const MAX_SCANNED = 100_000;

const figures = {
  recipients: instanceGauge('posthorn_queue_recipients', 'Recipients with pending work, by state.', {
    state: ['due', 'waiting', 'parked', 'other_kind', 'held', 'in_flight'],
  }),
  oldestDue: instanceGauge(
    'posthorn_queue_oldest_due_seconds',
    'How long the oldest due recipient has waited for a worker; 0 if none is due.',
  ),
  destinations: instanceGauge('posthorn_queue_destinations', 'Destinations with parked recipients.', {
    state: ['failing', 'refusing', 'backlog'],
  }),
  paused: instanceGauge('posthorn_queue_paused', 'Whether sending is paused (1) or not (0).'),
  workers: instanceGauge('posthorn_queue_workers', 'Workers of all instances with a fresh heartbeat.'),
};

const COUNTS = columnsOf({
  /** Due recipients, including claimed recipients. */
  dueOrClaimed: 'float8',
  waiting: 'float8',
  parked: 'float8',
  /**
   * Recipients of mail that waits because it was accepted for the other kind of provider: for the sandbox while there is a real provider,
   * or the reverse.
   */
  otherKind: 'float8',
  held: 'float8',
  inFlight: 'float8',
  /** The age of the oldest due recipient, in seconds. Null if no recipient is due. */
  oldestDue: 'float8?',
  failing: 'float8',
  /** The number of pairs of a sender and a destination where the destination rejects only this sender's mail. */
  refusing: 'float8',
  backlogs: 'float8',
  workers: 'float8',
});

export const queueSource: FigureSource = {
  async read(database: Database): Promise<void> {
    const fairShares = findingFairShares(DUE);
    // Each `order by` matches an index. Without it, PostgreSQL would read the whole table.
    const { rows } = await COUNTS.sql`
      with recursive ${fairShares.sql}, streams as materialized (
        select *, ${sql.lit(MAX_SCANNED)} / count(*) over () as rows from ${fairShares.name}
      )
      select
        head.held, head.in_flight, head.oldest_due, queue.due_or_claimed, queue.waiting,
        (select count(*) from (
          select from queue where next_attempt_at = 'infinity' and destination is not null
          order by destination, project_id, stream, email_id, recipient_index limit ${sql.lit(MAX_COUNTED)}
        ) counted)::float8 as parked,
        (select count(*) from (
          select from queue where ${IS_SET_ASIDE} limit ${sql.lit(MAX_COUNTED)}
        ) counted)::float8 as other_kind,
        (select count(*) from destinations where failures > 0 and name = domain)::float8 as failing,
        (select count(*) from destinations where failures > 0 and name <> domain)::float8 as refusing,
        (select count(*) from destinations where failures = 0)::float8 as backlogs,
        (select count(*) from leases
          where holds = 'recipients' and heartbeat_at > now() - ${TIMINGS.leaseMs}::int * interval '1 millisecond')::float8 as workers
      from (
        select
          count(*) filter (where next_attempt_at <= now())::float8 as due_or_claimed,
          count(*) filter (where next_attempt_at > now())::float8 as waiting
        from (
          select next_attempt_at from queue where next_attempt_at < 'infinity'
          order by project_id, stream, next_attempt_at limit ${sql.lit(MAX_COUNTED)}
        ) counted
      ) queue, (
        select
          count(*) filter (where lease_id is not null and not in_flight)::float8 as held,
          count(*) filter (where in_flight)::float8 as in_flight,
          extract(epoch from now() - min(due_since) filter (where lease_id is null))::float8 as oldest_due
        from streams, ${dueRows(sql`streams.rows`)} oldest
      ) head`.execute(database);
    const counts = rows[0] as RowOf<typeof COUNTS>;
    const { dueOrClaimed, waiting, parked, held, inFlight } = counts;
    figures.recipients.set({ state: 'due' }, dueOrClaimed - held - inFlight);
    figures.recipients.set({ state: 'waiting' }, waiting);
    figures.recipients.set({ state: 'parked' }, parked);
    figures.recipients.set({ state: 'other_kind' }, counts.otherKind);
    figures.recipients.set({ state: 'held' }, held);
    figures.recipients.set({ state: 'in_flight' }, inFlight);
    figures.oldestDue.set({}, counts.oldestDue ?? 0);
    figures.destinations.set({ state: 'failing' }, counts.failing);
    figures.destinations.set({ state: 'refusing' }, counts.refusing);
    figures.destinations.set({ state: 'backlog' }, counts.backlogs);
    figures.workers.set({}, counts.workers);
    figures.paused.set({}, (await readPause(database)) === null ? 0 : 1);
  },
  withdraw: () => withdrawAll(figures),
};
