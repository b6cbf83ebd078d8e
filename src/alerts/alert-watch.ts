/**
 * Checks for problems that users subscribed to, once a minute. It runs in processes with the role http, because it must work while no worker
 * does. Of all processes, one checks at a time.
 */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Health } from '../contract/dashboard/health.ts';
import type { Need } from '../contract/dashboard/overview.ts';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { SendingHealth } from '../insights/health/sending-health.ts';
import { findAllNeeds } from '../insights/overview/needs.ts';
import { withSnoozes } from '../insights/overview/snoozes.ts';
import * as clock from '../model/clock.ts';
import { NIL_UUID } from '../model/ids.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { BackgroundScan } from '../sending/background-scan.ts';
import { lastDigestAt } from './digest/next-digest.ts';
import { type DueDigest, dueDigests, storeDigest } from './digest/queue-digests.ts';
import { readWeek } from './digest/weekly-digest.ts';
import { MAX_PROBLEMS } from './messages.ts';
import { checkSubscriptions, deleteEnded, type Subscriber } from './check-subscriptions.ts';
import { installationFindings, projectFindings } from './findings.ts';
import { TIMINGS } from './timings.ts';

/** The key of the advisory lock that the checking process holds. */
const LOCK = 7_340_121;
/** The number of subscribers that one statement reads. */
const SLICE = 50;

const EXISTS = columnsOf({ any: 'bool' });
const SUBSCRIBER = columnsOf({ userId: 'uuid', projectId: 'uuid?' });

export interface AlertWatchOptions {
  /** The lane `alerts`. A check uses one of its connections. */
  database: Database;
  health: Pick<SendingHealth, 'read' | 'readInstallation'>;
  trustsManualVerification: boolean;
  keepDays: number | null;
  /** The name of the machine whose disk and certificates `health` describes. */
  host: string;
  logger: Logger;
  /** Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'checkMs' | 'settleMs' | 'rest'>;
}

interface ProjectProblems {
  projectId: string;
  state: Health['state'];
  /** None is marked as hidden. */
  needs: Need[];
}

export class AlertWatch extends BackgroundScan {
  readonly #options: AlertWatchOptions;
  readonly #timings: Pick<typeof TIMINGS, 'checkMs' | 'settleMs'>;
  /** Whether this check has already waited for the state of the workers. */
  #hasSettled = false;
  /** The problems of the last project, which its subscribers share. Subscribers are read in the order of their projects. */
  #last: ProjectProblems | null = null;

  constructor(options: AlertWatchOptions) {
    const { database, logger, timings = TIMINGS } = options;
    super({
      database,
      lock: LOCK,
      rest: timings.rest,
      scanMs: timings.checkMs,
      idleMs: timings.checkMs,
      onError: (error) => logger.error({ err: error }, LOG_MESSAGES.alertsNotChecked),
    });
    this.#options = options;
    this.#timings = timings;
  }

  protected override async work(session: Database): Promise<boolean> {
    const { rows } = await EXISTS.sql`select exists (select from alert_subscriptions) as any`.execute(
      session,
    );
    if (rows[0]?.any !== true) return true;
    this.#hasSettled = false;
    this.#last = null;
    // Each machine checks its own disk, so each has its own minute.
    if (await this.#begins(session, `host ${this.#options.host}`))
      await this.#checkAll(session, sql`project_id is null`);
    if (await this.#begins(session, 'projects')) {
      await deleteEnded(session);
      await this.#checkAll(session, sql`project_id is not null`);
      await this.#queueDigests(session);
    }
    return true;
  }

  /** Whether no process has begun this check in the last minute. Records that this process does. */
  async #begins(session: Database, scope: string): Promise<boolean> {
    // Processes check every minute too. Without the tenth, clocks that differ a little would skip every second check.
    const { numAffectedRows } = await sql`
      insert into alert_checks as c (scope, checked_at) values (${scope}, now())
      on conflict (scope) do update set checked_at = now()
      where c.checked_at < now() - ${this.#timings.checkMs * 0.9} * interval '1 millisecond'`.execute(
      session,
    );
    return numAffectedRows === 1n;
  }

  async #checkAll(session: Database, which: ReturnType<typeof sql>): Promise<void> {
    for (let after: Subscriber | null = { projectId: null, userId: NIL_UUID }; after !== null; ) {
      const { rows }: { rows: Subscriber[] } = await SUBSCRIBER.sql`
        select distinct user_id, project_id from alert_subscriptions
        where ${which} and enabled
          and (coalesce(project_id, ${NIL_UUID}), user_id) > (${after.projectId ?? NIL_UUID}::uuid, ${after.userId}::uuid)
        order by project_id, user_id limit ${SLICE}`.execute(session);
      for (const subscriber of rows) {
        if (this.isStopped) return;
        await this.pace(() => this.#check(session, subscriber));
      }
      after = rows.length < SLICE ? null : (rows.at(-1) ?? null);
    }
  }

  /** A project whose problems cannot be read must not keep the check from others. */
  async #check(session: Database, subscriber: Subscriber): Promise<void> {
    try {
      await checkSubscriptions(session, subscriber, await this.#find(session, subscriber));
    } catch (error) {
      if (!this.isStopped) this.#options.logger.error({ err: error }, LOG_MESSAGES.alertsNotChecked);
    }
  }

  async #queueDigests(session: Database): Promise<void> {
    for await (const due of dueDigests(session)) {
      if (this.isStopped) return;
      await this.pace(() => this.#queueDigest(session, due));
    }
  }

  async #queueDigest(session: Database, due: DueDigest): Promise<void> {
    const { keepDays } = this.#options;
    const { projectId, timeZone } = due;
    try {
      const week = await readWeek(session, {
        projectId,
        dueAt: lastDigestAt(clock.nowMs(), timeZone),
        keepDays,
      });
      if (week === null) return await storeDigest(session, due, null);
      const { found } = await this.#find(session, due);
      const open = found.filter(({ isSnoozed }) => !isSnoozed).map(({ problem }) => problem);
      const problems = open.slice(0, MAX_PROBLEMS);
      await storeDigest(session, due, { ...week, problems, more: open.length - problems.length });
    } catch (error) {
      if (!this.isStopped) this.#options.logger.error({ err: error }, LOG_MESSAGES.alertsNotChecked);
    }
  }

  async #find(session: Database, { userId, projectId }: Subscriber) {
    const { health, host, trustsManualVerification, keepDays } = this.#options;
    if (projectId === null) {
      const read = () => health.readInstallation();
      return installationFindings(await this.#settled(read, (each) => each.health.state), host);
    }
    if (this.#last?.projectId !== projectId) {
      this.#last = null;
      const verdict = await this.#settled(
        () => health.read(projectId, false),
        ({ state }) => state,
      );
      const of = { projectId, health: verdict, trustsManualVerification, keepDays };
      this.#last = { projectId, state: verdict.state, needs: await findAllNeeds(session, of) };
    }
    const { needs, state } = this.#last;
    return projectFindings(await withSnoozes(session, { projectId, userId }, needs), state);
  }

  /**
   * Reads the state again after a moment if it is unknown. The first read after a minute cannot tell a missing worker from one that is being
   * replaced.
   */
  async #settled<Value>(read: () => Promise<Value>, stateOf: (value: Value) => string): Promise<Value> {
    const first = await read();
    if (stateOf(first) !== 'unknown' || this.#hasSettled) return first;
    this.#hasSettled = true;
    await this.rest(this.#timings.settleMs);
    return read();
  }
}
