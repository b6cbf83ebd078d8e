/** Brings a database to the schema of this code: runs each file of `migrations/` once, in the order of the file names. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { adoptBaseline } from './adopt-baseline.ts';
import { BASELINE, isBeforeBaseline } from './baseline.ts';
import { type Migration, readMigrations } from './migration-files.ts';
import { LockedOut, runMigration } from './run-migration.ts';
import {
  assertKnown,
  assertServed,
  forgetBegin,
  makeSchemaChanges,
  missingOf,
  noteBegin,
  readSchemaChanges,
  type SchemaChange,
} from './schema-changes.ts';
import { TIMINGS } from './timings.ts';
import { DatabaseClient } from './database-client.ts';

/** An arbitrary key. Advisory locks are per database. */
export const MIGRATION_LOCK = 7_678_467;
const TRIES_PER_REPORT = 10;

export type MigrationStep =
  /** This instance waits because another instance is migrating, or a backup is being made. */
  | { kind: 'waiting' }
  | { kind: 'started'; migration: string }
  /** Other sessions hold locks that the migration needs. The migration is retried and blocks no other statements in the meantime. */
  | { kind: 'retrying'; migration: string; reason: string }
  | { kind: 'done'; migration: string; durationMs: number };

export interface MigrateOptions {
  migrations?: readonly Migration[];
  onStep?: (step: MigrationStep) => void;
  /** Default: `TIMINGS`. */
  timings?: MigrationTimings;
}

type MigrationTimings = Pick<typeof TIMINGS, 'migrationLockMs' | 'longMigrationLockMs' | 'migrationPauseMs'>;

/**
 * Runs the migrations that have not run yet, while this code and older code keep serving. If several instances start at once, one instance
 * migrates and the others wait. A migration interrupted by a kill is completed by the next call.
 * @returns the names of migrations that wait until no older code is running (`runContracts`)
 * @throws StartupError if PostgreSQL is too old, or the database no longer supports this version or has a migration that this version
 * cannot know
 */
export function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  return withClient(url, (client) => new Migrating(client, options).migrate());
}

/**
 * Runs the migrations that remove schema that only older code needs. Does nothing while a process with older code is running or another
 * instance is migrating. As soon as the first such migration begins, older code refuses to start.
 * @param isQuiet whether no process older than the given version has been seen for long enough
 * @returns whether all migrations have run
 */
export function runContracts(
  url: string,
  isQuiet: (version: string) => boolean,
  options: MigrateOptions = {},
): Promise<boolean> {
  return withClient(url, (client) => new Migrating(client, options).contract(isQuiet));
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new DatabaseClient({
    connectionString: url,
    connectionTimeoutMillis: TIMINGS.connectTimeoutMs,
    keepAlive: true,
    application_name: 'posthorn migrate',
  });
  // The next statement reports the error; without a listener, the `error` event would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    // Ending the session releases its advisory lock.
    await client.end().catch(() => {});
  }
}

class Migrating {
  readonly #client: pg.Client;
  readonly #migrations: readonly Migration[];
  readonly #onStep: (step: MigrationStep) => void;
  readonly #timings: MigrationTimings;
  #lockMs: number;
  readonly #begunAtMs = new Map<string, number>();
  /** Whether the database was empty when this instance got the lock. Null until then. */
  #isNew: boolean | null = null;

  constructor(
    client: pg.Client,
    { migrations = readMigrations(), onStep = () => {}, timings = TIMINGS }: MigrateOptions,
  ) {
    this.#client = client;
    this.#timings = timings;
    this.#lockMs = timings.migrationLockMs;
    this.#migrations = migrations;
    this.#onStep = onStep;
  }

  async migrate(): Promise<string[]> {
    const changes = await this.#read();
    this.#assertServes(changes);
    if (changes.length === 0 || this.#due(changes).length > 0)
      await this.#untilUnlocked(() => this.#migrateLocked());
    return missingOf(await this.#read(), this.#migrations).map(({ name }) => name);
  }

  async contract(isQuiet: (version: string) => boolean): Promise<boolean> {
    if (missingOf(await this.#read(), this.#migrations).length === 0) return true;
    return this.#untilUnlocked(async () => {
      if (!(await this.#tryLock())) return false;
      const changes = await this.#read();
      for (const migration of missingOf(changes, this.#migrations)) {
        const hasBegun = changes.some(({ name }) => name === migration.name);
        if (!hasBegun && !(await this.#mayBegin(migration, isQuiet))) return false;
        await this.#run(migration);
      }
      return true;
    });
  }

  async #migrateLocked(): Promise<void> {
    // Polls instead of waiting in the database. A waiting session has a snapshot, and a concurrent index build of another instance waits
    // for all older snapshots.
    for (let tries = 1; !(await this.#tryLock()); tries++) {
      if (tries === 1) this.#onStep({ kind: 'waiting' });
      await sleep(this.#timings.migrationPauseMs);
    }
    await makeSchemaChanges(this.#client);
    let changes = await this.#read();
    this.#assertServes(changes);
    this.#isNew ??= changes.length === 0;
    if (isBeforeBaseline(changes)) {
      await this.#adopt();
      changes = await this.#read();
    }
    for (const migration of this.#due(changes)) await this.#run(migration);
  }

  /** @throws StartupError if the database does not support this code or has a migration that this code cannot know */
  #assertServes(changes: readonly SchemaChange[]): void {
    assertServed(changes);
    assertKnown(
      changes,
      this.#migrations.map(({ name }) => name),
    );
  }

  /** The migrations that may run now, in order. */
  #due(changes: readonly SchemaChange[]): Migration[] {
    const missing = missingOf(changes, this.#migrations);
    const expanding = missing.filter(({ servesFrom }) => servesFrom === null);
    // Contracting migrations run now only in a new database, which no older code uses, or if they have already begun, because a begun
    // removal cannot be undone.
    const contracting = missing.filter(
      ({ name, servesFrom }) =>
        servesFrom !== null && (this.#isNew === true || changes.some((change) => change.name === name)),
    );
    return [...expanding, ...contracting];
  }

  /** Records that a migration begins, if it may begin. @returns whether it may begin */
  async #mayBegin(migration: Migration, isQuiet: (version: string) => boolean): Promise<boolean> {
    const { servesFrom } = migration;
    if (servesFrom === null || !isQuiet(servesFrom) || (await this.#isOlderRunning(servesFrom))) return false;
    await noteBegin(this.#client, migration);
    // Check again: a process that has just started may not have seen the record.
    if (!(await this.#isOlderRunning(servesFrom))) return true;
    await forgetBegin(this.#client, migration);
    return false;
  }

  async #adopt(): Promise<void> {
    const baseline = this.#migrations.find(({ name }) => name === BASELINE);
    if (baseline === undefined) throw new Error(`there is no ${BASELINE}`);
    await this.#report(baseline, () => adoptBaseline(this.#client, baseline, this.#lockMs));
  }

  #run(migration: Migration): Promise<void> {
    return this.#report(migration, () => runMigration(this.#client, migration, this.#lockMs));
  }

  async #report({ name }: Migration, work: () => Promise<void>): Promise<void> {
    // For a new database, two log lines per migration would be noise, because no process is waiting for the migrations.
    const onStep = this.#isNew === true ? () => {} : this.#onStep;
    if (!this.#begunAtMs.has(name)) onStep({ kind: 'started', migration: name });
    const begunAtMs = this.#begunAtMs.get(name) ?? performance.now();
    this.#begunAtMs.set(name, begunAtMs);
    await work();
    onStep({ kind: 'done', migration: name, durationMs: Math.round(performance.now() - begunAtMs) });
  }

  /**
   * Repeats work that failed because other sessions hold locks. A statement that waits for a lock blocks all later statements on the table,
   * so each try waits only briefly, and the pause between tries lets the blocked statements run. Other instances may migrate during the
   * pause.
   */
  async #untilUnlocked<T>(work: () => Promise<T>): Promise<T> {
    const { migrationLockMs, longMigrationLockMs, migrationPauseMs } = this.#timings;
    for (let tries = 1; ; tries++) {
      // Autovacuum yields to a statement that has waited for a second; otherwise autovacuum may hold its lock for hours.
      this.#lockMs = tries % TRIES_PER_REPORT === 0 ? longMigrationLockMs : migrationLockMs;
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof LockedOut)) throw error;
        const { migration, message: reason } = error;
        if (tries % TRIES_PER_REPORT === 1) this.#onStep({ kind: 'retrying', migration, reason });
      }
      await this.#client.query('select pg_advisory_unlock_all()');
      await sleep(migrationPauseMs * Math.min(tries, TRIES_PER_REPORT));
    }
  }

  #read(): Promise<SchemaChange[]> {
    return readSchemaChanges(async <Row extends object>(statement: string) => {
      const { rows } = await this.#client.query<Row>(statement);
      return rows;
    });
  }

  async #isOlderRunning(version: string): Promise<boolean> {
    const { rows } = await this.#client.query(
      `select from processes
      where string_to_array(version, '.')::int[] < string_to_array($1, '.')::int[]
        and heartbeat_at > now() - $2 * interval '1 millisecond'`,
      [version, TIMINGS.expiryMs],
    );
    return rows.length > 0;
  }

  async #tryLock(): Promise<boolean> {
    const { rows } = await this.#client.query<{ isOurs: boolean }>(
      `select pg_try_advisory_lock(${MIGRATION_LOCK}) as "isOurs"`,
    );
    return rows[0]?.isOurs === true;
  }
}
