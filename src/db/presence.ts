/**
 * The presence of a process: one row, written every two seconds. Whoever has written one of late lives, and shares the limits
 * that hold for all machines together. The same statement tells the time of the database.
 *
 * This is not the lease of a worker (src/queue/lease.ts). A lease guards what must not happen twice and lasts 30 s; a
 * presence divides limits, and is over after 7 s.
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
import { columnsOf, shaped } from './columns.ts';
import { type Database, isDatabaseAway } from './database.ts';
import { describeFault } from './durable-write.ts';
import { TIMINGS } from './timings.ts';

export interface PresenceOptions {
  database: Database;
  /** uuid of this run of the process. */
  processId: string;
  /** What it is called on its machine. */
  name: string;
  roles: readonly string[];
  /** Processes that are known to be over. */
  deadIds: readonly string[];
  /** How many connections to the database the process may have. */
  connections(): number;
  logger: Pick<Logger, 'info' | 'warn'>;
  /** Of the code that it runs. Default: this one. */
  version?: string;
  /** Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'beatMs' | 'goneMs'>;
}

interface Living {
  id: string;
  version: string;
  roles: string[];
}

const TIME = columnsOf({ timeMs: 'float8' });
const BEAT = columnsOf({ ...TIME.kinds, living: shaped<Living[]>('json') });

const DATABASE_MS = sql`extract(epoch from clock_timestamp())::float8 * 1000`;
/** A dead server does not close the connection, and a process that stops has no time to wait for it. */
const GOODBYE_MS = 500;

export class Presence implements AsyncDisposable {
  readonly #options: PresenceOptions;
  readonly #goneMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #listeners: (() => void)[] = [];
  /** Those that count, by their ids. This process is always among them. */
  #known: ReadonlyMap<string, readonly string[]>;
  #beating: Promise<void> | null = null;
  #lastBeatMs: number;
  /** Since when no heartbeat failed. While the database is away the others have the same gap. */
  #unbrokenSinceMs: number;
  /** When a process of a version was seen last. */
  readonly #seenAtMs = new Map<string, number>();
  #isClockWrong = false;
  /** The database has not told its time yet. */
  #isTimeOwn = false;
  /** Null: the last heartbeat was heard. */
  #lostAtMs: number | null = null;

  private constructor(options: PresenceOptions) {
    const { beatMs, goneMs } = options.timings ?? TIMINGS;
    this.#options = options;
    this.#goneMs = goneMs;
    this.#known = new Map([[options.processId, options.roles]]);
    this.#lastBeatMs = this.#unbrokenSinceMs = performance.now();
    this.#timer = setInterval(() => this.#tick(), beatMs);
  }

  /**
   * Resolves when the others can see it, it knows of them, and the time is that of the database. While the database is away
   * the process knows of nobody else and goes by its own clock: it has to be there to say that it cannot serve.
   */
  static async begin(options: PresenceOptions): Promise<Presence> {
    const presence = new Presence(options);
    try {
      await presence.#beat();
    } catch (error) {
      if (!isDatabaseAway(error)) {
        clearInterval(presence.#timer);
        throw error;
      }
      presence.#isTimeOwn = true;
      presence.#tellLost(describeFault(error));
    }
    return presence;
  }

  /** This process's share of what all processes with the role have together. It has the role itself. */
  shareOf(role: string): WorkerShare {
    const { processId } = this.#options;
    const ids = [...this.#known].filter(([, roles]) => roles.includes(role)).map(([id]) => id);
    return { index: ids.filter((id) => id < processId).length, count: Math.max(ids.length, 1) };
  }

  /**
   * The processes that live, by their ids. Null while nothing can be said: after the database was away, and after the start, all heartbeats
   * are old or unknown until the others had the time to show that they live.
   */
  living(): readonly string[] | null {
    const nowMs = performance.now();
    const mayJudge =
      this.#lastBeatMs - this.#unbrokenSinceMs >= this.#goneMs && nowMs - this.#lastBeatMs <= this.#goneMs;
    return mayJudge ? [...this.#known.keys()] : null;
  }

  /** Calls back whenever shares may have changed. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /**
   * For how long no process was seen that is older than a version, in ms. It begins anew when the database was away: the others
   * may have worked on where this process saw nobody.
   */
  unseenMs(version: string): number {
    const older = [...this.#seenAtMs].filter(([seen]) => compareVersions(seen, version) < 0);
    if (performance.now() - this.#lastBeatMs > this.#goneMs) return 0;
    return this.#lastBeatMs - Math.max(this.#unbrokenSinceMs, ...older.map(([, atMs]) => atMs));
  }

  /** Why the clock of this machine must be set before it may serve, for anybody; null: it need not. */
  whyNotReady(): string | null {
    return Math.abs(offsetMs()) < BAD_OFFSET_MS ? null : `${inWords(offsetMs())}.`;
  }

  /** Says goodbye: what this process had is the others' at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    const { database, processId } = this.#options;
    const goodbye = (async () => {
      await this.#beating;
      await sql`delete from processes where id = ${processId}`.execute(database);
    })();
    await within(
      GOODBYE_MS,
      goodbye.catch(() => {}),
      undefined,
    );
  }

  /** Sees at once whether the database is there: a connection to it has ended. */
  look(): void {
    this.#tick();
  }

  #tick(): void {
    if (this.#beating !== null) {
      const isSilent = performance.now() - this.#lastBeatMs > this.#goneMs;
      if (isSilent) this.#tellLost('The database does not answer.');
      return;
    }
    this.#beating = this.#beat()
      .then(
        () => this.#tellFound(),
        // The next heartbeat tries again.
        (error: unknown) => {
          if (isDatabaseAway(error)) this.#tellLost(describeFault(error));
        },
      )
      .finally(() => {
        this.#beating = null;
      });
  }

  #tellLost(reason: string): void {
    if (this.#lostAtMs !== null) return;
    this.#lostAtMs = performance.now();
    this.#options.logger.warn({ reason }, LOG_MESSAGES.databaseLost);
  }

  #tellFound(): void {
    if (this.#lostAtMs === null) return;
    const durationMs = Math.round(performance.now() - this.#lostAtMs);
    this.#lostAtMs = null;
    this.#options.logger.info({ durationMs }, LOG_MESSAGES.databaseFound);
  }

  async #beat(): Promise<void> {
    const { database } = this.#options;
    await database.connection().execute(async (connection) => {
      const askedAtMs = performance.now();
      const { rows } = await this.#statement().execute(connection);
      const heardAtMs = performance.now();
      for (const { timeMs, living } of rows) {
        learnTime(timeMs, askedAtMs, heardAtMs);
        this.#learnLiving(living, askedAtMs);
      }
    });
    if (this.#isTimeOwn) restartIds();
    this.#isTimeOwn = false;
    this.#watchClock();
  }

  #statement() {
    const { processId, name, roles, deadIds, connections, version = VERSION } = this.#options;
    const isOver = sql`(heartbeat_at < now() - ${this.#goneMs} * interval '1 millisecond' or id = any(${uuidArray(deadIds)}::uuid[]))`;
    return BEAT.sql`
      with over as (
        select id from processes where ${isOver} and id <> ${processId} for update skip locked
      ), buried as (
        delete from processes p using over where p.id = over.id
      ), here as (
        insert into processes (id, host, name, roles, version, connections, clock_ahead_ms, heartbeat_at)
        values (${processId}, ${hostname()}, ${name}, ${textArray(roles)}::text[], ${version}, ${connections()}, ${offsetMs()},
          now())
        on conflict (id) do update
        set heartbeat_at = excluded.heartbeat_at, connections = excluded.connections, clock_ahead_ms = excluded.clock_ahead_ms
      )
      select ${DATABASE_MS} as time_ms,
        (select coalesce(json_agg(json_build_object('id', id, 'roles', roles, 'version', version)), '[]')
         from processes where not ${isOver}) as living`;
  }

  /**
   * After a gap all heartbeats are old, and the others need the time to show that they live: until then nobody is taken
   * for gone, or the first one that is back would use all of a limit.
   */
  #learnLiving(living: readonly Living[], askedAtMs: number): void {
    if (askedAtMs - this.#lastBeatMs > this.#goneMs) this.#unbrokenSinceMs = askedAtMs;
    this.#lastBeatMs = askedAtMs;
    const mayJudge = askedAtMs - this.#unbrokenSinceMs >= this.#goneMs;
    for (const { version } of living) this.#seenAtMs.set(version, askedAtMs);
    const { processId, roles, deadIds } = this.#options;
    const known = new Map([
      ...(mayJudge ? [] : this.#known),
      ...living.map(({ id, roles: theirs }) => [id, theirs] as const),
      [processId, roles] as const,
    ]);
    for (const id of deadIds) known.delete(id);
    const hasChanged =
      known.size !== this.#known.size || [...known.keys()].some((id) => !this.#known.has(id));
    this.#known = known;
    if (hasChanged) for (const listener of this.#listeners) listener();
  }

  /** Logs each change once. */
  #watchClock(): void {
    const aheadMs = offsetMs();
    clockOffset.set(aheadMs / 1_000);
    const isWrong = Math.abs(aheadMs) >= WARN_OFFSET_MS;
    if (isWrong === this.#isClockWrong) return;
    this.#isClockWrong = isWrong;
    const { logger } = this.#options;
    if (isWrong) logger.warn({ aheadMs, reason: inWords(aheadMs) }, LOG_MESSAGES.clockWrong);
    else logger.info({ aheadMs }, LOG_MESSAGES.clockRight);
  }
}

/** Learns the time of the database, before there is a presence. */
export async function askTime(database: Database): Promise<void> {
  await database.connection().execute(async (connection) => {
    const askedAtMs = performance.now();
    const { rows } = await TIME.sql`select ${DATABASE_MS} as time_ms`.execute(connection);
    for (const { timeMs } of rows) learnTime(timeMs, askedAtMs, performance.now());
  });
}

/** Whether a living process of any machine has the role. */
export async function runsAnywhere(database: Database, role: string): Promise<boolean> {
  const { rows } = await sql`
    select from processes
    where heartbeat_at > now() - ${TIMINGS.goneMs} * interval '1 millisecond' and ${role} = any(roles)
    limit 1`.execute(database);
  return rows.length > 0;
}

/** Forgets all processes, where the caller is certain that none of them lives. */
export async function forgetProcesses(database: Database): Promise<void> {
  await sql`delete from processes`.execute(database);
}

function inWords(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  return `The clock of this machine is ${seconds} seconds ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's`;
}
