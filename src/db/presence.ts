/**
 * The presence of a process: one row, written every two seconds. Every process with a recent row is alive and shares the limits that apply
 * to all machines together. The statement that writes the row also reads the clock of the database.
 *
 * A process deletes its row when it stops. The row of a process that died, or that hangs, stays for a day, so that operators see what is
 * gone. A query that counts processes must compare `heartbeat_at` with `expiryMs`.
 *
 * A presence is different from the lease of a worker (src/queue/lease.ts). A lease prevents mail from being sent twice and expires after 30
 * s. A presence divides limits and expires after 7 s.
 */
import { hostname } from 'node:os';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { BAD_OFFSET_MS, learnTime, offsetMs, WARN_OFFSET_MS } from '../model/clock.ts';
import { restartIds } from '../model/ids.ts';
import type { WorkerShare } from '../concurrency/share.ts';
import { compareVersions, VERSION } from '../model/version.ts';
import { within } from '../concurrency/within.ts';
import { clockOffset } from '../observe/instruments.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { textArray, uuidArray } from './arrays.ts';
import { columnsOf } from './columns.ts';
import { type Database, isDatabaseAway } from './database.ts';
import { describeFault } from './durable-write.ts';
import { SharedStatements, type StatementPart } from './shared-statements.ts';
import { TIMINGS } from './timings.ts';

export interface PresenceOptions {
  database: Database;
  /** A UUID for this run of the process. */
  processId: string;
  /** The name of the process on its machine. */
  name: string;
  roles: readonly string[];
  /** Ids of processes that are known to have ended. */
  deadIds: readonly string[];
  /** Returns the maximum number of database connections that the process may open. */
  connections(): number;
  logger: Pick<Logger, 'info' | 'warn'>;
  /** Statements of this process with which heartbeats share a commit. Default: heartbeats share with no other statement. */
  shared?: SharedStatements;
  /** The version of the process's code. Default: this version. */
  version?: string;
  /** Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'beatMs' | 'expiryMs'>;
}

interface Living {
  id: string;
  version: string;
  roles: string[];
  heartbeatMs: number;
}

interface Beat {
  timeMs: number;
  living: Living[];
}

const TIME = columnsOf({ timeMs: 'float8' });

const DATABASE_MS = sql`extract(epoch from clock_timestamp())::float8 * 1000`;
/**
 * The maximum time that disposal waits for the server. A dead server does not close the connection, and a stopping process cannot wait for
 * long.
 */
const CLOSE_TIMEOUT_MS = 500;
/** The rows of dead processes that are kept: so many of all rows, and no longer than a day. */
const KEPT_ROWS = 500;

export class Presence implements AsyncDisposable {
  readonly #options: PresenceOptions;
  readonly #shared: SharedStatements;
  readonly #expiryMs: number;
  /** How long a heartbeat waits for other statements: most of `beatMs`, so that it shares with parts that poll once a second. */
  readonly #patienceMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #listeners: (() => void)[] = [];
  /** The roles of each living process, by process id. Always includes this process. */
  #known: ReadonlyMap<string, readonly string[]>;
  #beating: Promise<void> | null = null;
  #lastBeatMs: number;
  /**
   * The start of the current series of heartbeats without a gap. After a database outage, the heartbeats of all processes have the same
   * gap.
   */
  #unbrokenSinceMs: number;
  /** The newest heartbeat of the processes with each role, in milliseconds of the database's clock. */
  readonly #heardAtMs = new Map<string, number>();
  /** When a process of each version was last seen, by version. */
  readonly #seenAtMs = new Map<string, number>();
  #isClockWrong = false;
  /** Whether the time of the database is still unknown. */
  #usesOwnClock = false;
  /** When heartbeats began to fail. Null: the last heartbeat succeeded. */
  #lostAtMs: number | null = null;

  private constructor(options: PresenceOptions) {
    const { beatMs, expiryMs } = options.timings ?? TIMINGS;
    this.#options = options;
    this.#shared = options.shared ?? new SharedStatements(options.database);
    this.#expiryMs = expiryMs;
    this.#patienceMs = (beatMs * 2) / 3;
    this.#known = new Map([[options.processId, options.roles]]);
    this.#lastBeatMs = this.#unbrokenSinceMs = performance.now();
    this.#timer = setInterval(() => {
      // A heartbeat that is late, because the process or the database was busy, must not wait any longer.
      const isLate = performance.now() - this.#lastBeatMs > 2 * beatMs;
      this.#tick(isLate ? 0 : this.#patienceMs);
    }, beatMs);
  }

  /**
   * Resolves when this process is registered, has read the other processes, and has set its clock from the database. If the database is
   * unavailable, the process counts only itself and uses its own clock: the process must run even to report that it is not ready.
   */
  static async begin(options: PresenceOptions): Promise<Presence> {
    const presence = new Presence(options);
    try {
      await presence.#beat(0);
    } catch (error) {
      if (!isDatabaseAway(error)) {
        clearInterval(presence.#timer);
        throw error;
      }
      presence.#usesOwnClock = true;
      presence.#reportLost(describeFault(error));
    }
    return presence;
  }

  /** This process's share of the limits that apply to all processes with the role together. This process must have the role. */
  shareOf(role: string): WorkerShare {
    const { processId } = this.#options;
    const ids = [...this.#known].filter(([, roles]) => roles.includes(role)).map(([id]) => id);
    return { index: ids.filter((id) => id < processId).length, count: Math.max(ids.length, 1) };
  }

  /**
   * Ids of the living processes. Null after a start and after a database outage, until the other processes have had time to send a
   * heartbeat.
   */
  living(): readonly string[] | null {
    const nowMs = performance.now();
    const mayJudge =
      this.#lastBeatMs - this.#unbrokenSinceMs >= this.#expiryMs &&
      nowMs - this.#lastBeatMs <= this.#expiryMs;
    return mayJudge ? [...this.#known.keys()] : null;
  }

  /** When the last process with the role sent its last heartbeat. Null if none has run since this process started. */
  lastHeartbeat(role: string): Date | null {
    const heardAtMs = this.#heardAtMs.get(role);
    return heardAtMs === undefined ? null : new Date(heardAtMs);
  }

  /** Calls `listener` whenever shares may have changed. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /**
   * The time for which no process older than `version` has been seen, in milliseconds. The count starts again after a database outage,
   * because an older process may have run unnoticed.
   */
  unseenMs(version: string): number {
    const older = [...this.#seenAtMs].filter(([seen]) => compareVersions(seen, version) < 0);
    if (performance.now() - this.#lastBeatMs > this.#expiryMs) return 0;
    return this.#lastBeatMs - Math.max(this.#unbrokenSinceMs, ...older.map(([, atMs]) => atMs));
  }

  /** The reason, in words that may be published, why this machine's clock is too wrong to serve. Null if the clock is accurate enough. */
  whyNotReady(): string | null {
    return Math.abs(offsetMs()) < BAD_OFFSET_MS ? null : `${describeOffset(offsetMs())}.`;
  }

  /** Deletes the row of this process, so that other processes get its share at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    const { database, processId } = this.#options;
    const deletion = (async () => {
      this.#shared.flush();
      const forget = () => sql`delete from processes where id = ${processId}`.execute(database);
      await forget();
      // A heartbeat that is still running, alone or in a late shared statement, would insert the row again.
      const wasBeating = this.#beating !== null;
      await this.#beating;
      if ((await this.#shared.settled()) || wasBeating) await forget();
    })();
    await within(
      CLOSE_TIMEOUT_MS,
      deletion.catch(() => {}),
      undefined,
    );
  }

  /** Sends a heartbeat at once, because a connection to the database has ended. */
  poll(): void {
    this.#shared.flush();
    this.#tick(0);
  }

  #tick(patienceMs: number): void {
    if (this.#beating !== null) {
      const isSilent = performance.now() - this.#lastBeatMs > this.#expiryMs;
      if (isSilent) this.#reportLost('The database does not answer.');
      return;
    }
    this.#beating = this.#beat(patienceMs)
      .then(
        () => this.#reportFound(),
        // The next heartbeat retries.
        (error: unknown) => {
          if (isDatabaseAway(error)) this.#reportLost(describeFault(error));
        },
      )
      .finally(() => {
        this.#beating = null;
      });
  }

  #reportLost(reason: string): void {
    if (this.#lostAtMs !== null) return;
    this.#lostAtMs = performance.now();
    this.#options.logger.warn({ reason }, LOG_MESSAGES.databaseLost);
  }

  #reportFound(): void {
    if (this.#lostAtMs === null) return;
    const durationMs = Math.round(performance.now() - this.#lostAtMs);
    this.#lostAtMs = null;
    this.#options.logger.info({ durationMs }, LOG_MESSAGES.databaseFound);
  }

  async #beat(patienceMs: number): Promise<void> {
    const { value, sentAtMs, receivedAtMs } = await this.#shared.run<Beat>(this.#statement(), patienceMs);
    learnTime(value.timeMs, sentAtMs, receivedAtMs);
    this.#learnLiving(value.living, sentAtMs);
    if (this.#usesOwnClock) restartIds();
    this.#usesOwnClock = false;
    this.#watchClock();
  }

  #statement(): StatementPart {
    const { processId, name, roles, deadIds, connections, version = VERSION } = this.#options;
    const isOver = sql`(heartbeat_at < now() - ${this.#expiryMs} * interval '1 millisecond' or id = any(${uuidArray(deadIds)}::uuid[]))`;
    // A process that was started later under the same name replaces a dead one.
    const isForgotten = sql`(
      id = any(${uuidArray(deadIds)}::uuid[])
      or ${isOver} and (
        host = ${hostname()} and name = ${name} and id < ${processId}
        or heartbeat_at < now() - interval '1 day'
        or heartbeat_at < (select heartbeat_at from processes order by heartbeat_at desc offset ${sql.lit(KEPT_ROWS)} limit 1)
      ))`;
    // A statement that waited for a lock must not set the heartbeat back.
    const ctes = () => sql`
      forgotten as (
        select id from processes where ${isForgotten} and id <> ${processId} for update skip locked
      ), buried as (
        delete from processes p using forgotten where p.id = forgotten.id
      ), here as (
        insert into processes (id, host, name, roles, version, connections, clock_ahead_ms, heartbeat_at)
        values (${processId}, ${hostname()}, ${name}, ${textArray(roles)}::text[], ${version}, ${connections()}, ${offsetMs()},
          now())
        on conflict (id) do update
        set heartbeat_at = greatest(processes.heartbeat_at, excluded.heartbeat_at), connections = excluded.connections, clock_ahead_ms = excluded.clock_ahead_ms
      )`;
    const value = () => sql`json_build_object('timeMs', ${DATABASE_MS}, 'living', (
      select coalesce(json_agg(json_build_object(
        'id', id, 'roles', roles, 'version', version, 'heartbeatMs', extract(epoch from heartbeat_at) * 1000)), '[]')
      from processes where not ${isOver}))`;
    return { ctes, value, writes: 'unlogged' };
  }

  /**
   * After an outage all heartbeats are old, and the other processes need time to send a heartbeat. During this time no process counts as
   * dead. Otherwise the first process to reconnect would use the whole of each limit.
   */
  #learnLiving(living: readonly Living[], sentAtMs: number): void {
    if (sentAtMs - this.#lastBeatMs > this.#expiryMs) this.#unbrokenSinceMs = sentAtMs;
    this.#lastBeatMs = sentAtMs;
    const mayJudge = sentAtMs - this.#unbrokenSinceMs >= this.#expiryMs;
    for (const { version, roles, heartbeatMs } of living) {
      this.#seenAtMs.set(version, sentAtMs);
      for (const role of roles)
        this.#heardAtMs.set(role, Math.max(heartbeatMs, this.#heardAtMs.get(role) ?? 0));
    }
    const { processId, roles: own, deadIds } = this.#options;
    const known = new Map([
      ...(mayJudge ? [] : this.#known),
      ...living.map(({ id, roles: theirs }) => [id, theirs] as const),
      [processId, own] as const,
    ]);
    for (const id of deadIds) known.delete(id);
    const hasChanged =
      known.size !== this.#known.size || [...known.keys()].some((id) => !this.#known.has(id));
    this.#known = known;
    if (hasChanged) for (const listener of this.#listeners) listener();
  }

  /** Logs once when the clock becomes wrong, and once when it is right again. */
  #watchClock(): void {
    const aheadMs = offsetMs();
    clockOffset.set(aheadMs / 1_000);
    const isWrong = Math.abs(aheadMs) >= WARN_OFFSET_MS;
    if (isWrong === this.#isClockWrong) return;
    this.#isClockWrong = isWrong;
    const { logger } = this.#options;
    if (isWrong) logger.warn({ aheadMs, reason: describeOffset(aheadMs) }, LOG_MESSAGES.clockWrong);
    else logger.info({ aheadMs }, LOG_MESSAGES.clockRight);
  }
}

/** Sets the clock from the database in a process that has no presence yet. */
export async function setClockFromDatabase(database: Database): Promise<void> {
  await database.connection().execute(async (connection) => {
    const sentAtMs = performance.now();
    const { rows } = await TIME.sql`select ${DATABASE_MS} as time_ms`.execute(connection);
    for (const { timeMs } of rows) learnTime(timeMs, sentAtMs, performance.now());
  });
}

/** Whether a living process on any machine has the role. */
export async function runsAnywhere(database: Database, role: string): Promise<boolean> {
  const { rows } = await sql`
    select from processes
    where heartbeat_at > now() - ${TIMINGS.expiryMs} * interval '1 millisecond' and ${role} = any(roles)
    limit 1`.execute(database);
  return rows.length > 0;
}

/** Deletes the rows of all processes. The caller must know that none of the processes is running. */
export async function forgetProcesses(database: Database): Promise<void> {
  await sql`delete from processes`.execute(database);
}

function describeOffset(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  return `The clock of this machine is ${seconds} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's`;
}
