/**
 * Counts the emails of each hour in a worker. Over all machines, only one process counts at a time. The counter rests nine times as long
 * as it works, so that accepting and sending mail are not affected.
 */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { HOUR_MS } from '../../model/day.ts';
import { NIL_UUID, timeOf } from '../../model/ids.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { BackgroundScan } from '../../sending/background-scan.ts';
import { countHour, DUE_HOUR, type DueHour } from './count-hour.ts';
import { hourOf, readRetained } from './retained.ts';
import { TIMINGS } from './timings.ts';
import { forgetDays } from './write-metrics.ts';

/** The key of the advisory lock that the scanning process holds. */
const LOCK = 7_340_032;
/** The number of projects that one statement checks for uncounted hours. */
const SLICE = 50;
/** The number of hours that are counted before the due hours are queried again. */
const AT_A_TIME = 100;

/** The id of an email. */
const UNCOUNTED = columnsOf({ next: 'uuid?' });
const UNCOUNTED_OF_PROJECT = columnsOf({ id: 'uuid', ...UNCOUNTED.kinds });

export interface EmailCounterOptions {
  /** A database with a single connection. */
  database: Database;
  /** The number of days for which the installation keeps emails. Null to keep them forever. */
  keepDays: number | null;
  logger: Logger;
  /** Default: `TIMINGS`. */
  timings?: Partial<Pick<typeof TIMINGS, 'rest' | 'maxPassMs'>>;
}

/** Condition: an hour is due for a count. */
export const HAS_DUE_COUNTS = sql`(
  exists (select from email_counts where next_at <= now()) or exists (select from email_counts where metrics_at is null)
)`;

export class EmailCounter extends BackgroundScan {
  readonly #keepDays: number | null;
  readonly #maxPassMs: number;

  constructor({ database, keepDays, logger, timings }: EmailCounterOptions) {
    const { rest, maxPassMs } = { ...TIMINGS, ...timings };
    super({
      database,
      lock: LOCK,
      rest,
      scanMs: TIMINGS.scanMs,
      idleMs: TIMINGS.idleMs,
      onError: (error) => logger.error({ err: error }, LOG_MESSAGES.emailsNotCounted),
    });
    this.#keepDays = keepDays;
    this.#maxPassMs = maxPassMs;
  }

  protected override async work(session: Database): Promise<boolean> {
    const untilMs = performance.now() + this.#maxPassMs;
    await this.#forget(session);
    await forgetDays(session);
    await this.#findHours(session, untilMs);
    for (const find of [findDue, findUncounted])
      for (let left = true; left; ) {
        const hours = await find(session);
        left = hours.length === AT_A_TIME;
        for (const hour of hours) {
          if (!this.mayContinue(untilMs)) return false;
          const retained = await readRetained(session, hour.projectId, this.#keepDays);
          await countHour(session, this.pace, hour, retained);
        }
      }
    // The search for hours may have ended early.
    return this.mayContinue(untilMs);
  }

  /** Adds hours that have emails but no row: the hours of the newest emails, and hours that passed while no worker ran. */
  async #findHours(session: Database, untilMs: number): Promise<void> {
    for (let after = NIL_UUID; this.mayContinue(untilMs); ) {
      const { rows } = await this.pace(() =>
        UNCOUNTED_OF_PROJECT.sql`
          select p.id, ${nextUncounted(sql`p.id`)} as next
          from (select id from projects where id > ${after} order by id limit ${SLICE}) p order by p.id`.execute(
          session,
        ),
      );
      for (const { id, next } of rows) if (next !== null) await this.#addHours(session, id, next, untilMs);
      const last = rows.at(-1);
      if (last === undefined || rows.length < SLICE) return;
      after = last.id;
    }
  }

  /** @param emailId the id of the first email whose hour has no row */
  async #addHours(session: Database, projectId: string, emailId: string, untilMs: number): Promise<void> {
    const now = clock.now();
    for (let next: string | null = emailId; next !== null && this.mayContinue(untilMs); ) {
      const hour = hourOf(timeOf(next));
      const { rows } = await this.pace(async () => {
        await sql`
          insert into email_counts (project_id, hour, emails, recipients, delivered, opened, clicked, failed, bounced, complained, counted_at, next_at)
          values (${projectId}, ${hour}, 0, 0, 0, 0, 0, 0, 0, 0, ${now}, ${now})
          on conflict do nothing`.execute(session);
        return UNCOUNTED.sql`
          select ${nextUncounted(sql`${projectId}::uuid`)} as next`.execute(session);
      });
      next = rows[0]?.next ?? null;
    }
  }

  async #forget(session: Database): Promise<void> {
    await sql`delete from email_counts where next_at = 'infinity' and hour < ${new Date(clock.nowMs() - TIMINGS.keepMs)}`.execute(
      session,
    );
  }
}

/**
 * The ID of the first email after the last hour in the table, or in the hour before it if that hour has no row: an email whose ID is from the
 * end of an hour may be committed after an email of the next hour was found. Each hour is recounted as a whole, so emails that are committed
 * late in an hour with a row are not missed.
 */
function nextUncounted(projectId: ReturnType<typeof sql>) {
  const last = sql`(select max(hour) from email_counts c where c.project_id = ${projectId})`;
  const before = sql`${last} - interval '1 hour'`;
  return sql<string | null>`coalesce(
    (select e.id from emails e
     where e.project_id = ${projectId} and e.id >= ${firstIdOf(before)} and e.id < ${firstIdOf(last)}
       and not exists (select from email_counts c where c.project_id = ${projectId} and c.hour = ${before})
     order by e.id limit 1),
    (select e.id from emails e
     where e.project_id = ${projectId} and e.id >= coalesce(${firstIdOf(sql`${last} + interval '1 hour'`)}, ${NIL_UUID}::uuid)
     order by e.id limit 1))`;
}

/** SQL: the first UUIDv7 of the moment; null without a moment. */
function firstIdOf(moment: ReturnType<typeof sql>) {
  return sql`(lpad(to_hex((extract(epoch from ${moment}) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid`;
}

/** The running hours and the hours before them are first, so that many due hours of one project do not delay the newest numbers of others. */
async function findDue(session: Database): Promise<DueHour[]> {
  const now = clock.now();
  const { rows } = await DUE_HOUR.sql`
    select c.project_id, c.hour from email_counts c join projects p on p.id = c.project_id
    where c.next_at <= ${now}
    order by c.hour < ${new Date(hourOf(now).getTime() - HOUR_MS)}, c.next_at limit ${AT_A_TIME}`.execute(
    session,
  );
  return rows;
}

/** Hours that a version before 0.2.0 counted only as totals and not by dimension, newest first. */
async function findUncounted(session: Database): Promise<DueHour[]> {
  const { rows } = await DUE_HOUR.sql`
    select c.project_id, c.hour from email_counts c join projects p on p.id = c.project_id
    where c.metrics_at is null order by c.hour desc limit ${AT_A_TIME}`.execute(session);
  return rows;
}
