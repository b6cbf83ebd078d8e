/** Brings a database to the schema of this code: each file of `migrations/` once, in the order of their names. */
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

/** Any number of ours; the lock is per database. */
export const MIGRATION_LOCK = 7_678_467;
const TRIES_PER_WORD = 10;

export type MigrationStep =
  /** Another instance migrates, or a backup is made, and this one waits for it. */
  | { kind: 'waits for its turn' }
  | { kind: 'begins'; migration: string }
  /** Others hold locks that it needs. It tries again, and nobody waits behind it meanwhile. */
  | { kind: 'is tried again'; migration: string; reason: string }
  | { kind: 'is done'; migration: string; durationMs: number };

export interface MigrateOptions {
  migrations?: readonly Migration[];
  onStep?: (step: MigrationStep) => void;
  /** Default: `TIMINGS`. */
  timings?: MigrationTimings;
}

type MigrationTimings = Pick<typeof TIMINGS, 'migrationLockMs' | 'longMigrationLockMs' | 'migrationPauseMs'>;

/**
 * Runs what has not run yet, while this and older code goes on serving. When several instances start at once, one does it
 * and the others wait. What is broken off by a kill goes on at the next call.
 * @returns the names of those that wait until no older code lives (`runContracts`)
 * @throws StartupError when PostgreSQL is too old, the database does not serve this version any more, or it has a
 * migration that this version cannot know
 */
export function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  return withClient(url, (client) => new Migrating(client, options).migrate());
}

/**
 * Runs the migrations that take away what older code needs, unless a process of older code lives or another instance is
 * migrating. From the moment on at which the first of them begins, older code does not start.
 * @param isQuiet whether no process older than a version was seen for long enough
 * @returns whether none is left
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
  // The next statement says so.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    // The lock goes with the session.
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
  /** Whether the database was empty when its turn came; null: it has not come. */
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
      await this.#untilUnlocked(() => this.#takeTurn());
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

  async #takeTurn(): Promise<void> {
    // Again and again, in place of waiting in the database: who waits there has a snapshot, and an index that another
    // instance builds while others write waits for all of these.
    for (let tries = 1; !(await this.#tryLock()); tries++) {
      if (tries === 1) this.#onStep({ kind: 'waits for its turn' });
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

  /** @throws StartupError when the database does not serve this code, or has a migration that this code cannot know */
  #assertServes(changes: readonly SchemaChange[]): void {
    assertServed(changes);
    assertKnown(
      changes,
      this.#migrations.map(({ name }) => name),
    );
  }

  /** What may run now, in its order. */
  #due(changes: readonly SchemaChange[]): Migration[] {
    const missing = missingOf(changes, this.#migrations);
    const expanding = missing.filter(({ servesFrom }) => servesFrom === null);
    // A new database has served nobody yet; and there is no way back for what has begun to take something away.
    const contracting = missing.filter(
      ({ name, servesFrom }) =>
        servesFrom !== null && (this.#isNew === true || changes.some((change) => change.name === name)),
    );
    return [...expanding, ...contracting];
  }

  /** Notes that it begins, if it may. */
  async #mayBegin(migration: Migration, isQuiet: (version: string) => boolean): Promise<boolean> {
    const { servesFrom } = migration;
    if (servesFrom === null || !isQuiet(servesFrom) || (await this.#olderLives(servesFrom))) return false;
    await noteBegin(this.#client, migration);
    // What came a moment ago did not see that it is not served.
    if (!(await this.#olderLives(servesFrom))) return true;
    await forgetBegin(this.#client, migration);
    return false;
  }

  async #adopt(): Promise<void> {
    const baseline = this.#migrations.find(({ name }) => name === BASELINE);
    if (baseline === undefined) throw new Error(`there is no ${BASELINE}`);
    await this.#tell(baseline, () => adoptBaseline(this.#client, baseline, this.#lockMs));
  }

  #run(migration: Migration): Promise<void> {
    return this.#tell(migration, () => runMigration(this.#client, migration, this.#lockMs));
  }

  async #tell({ name }: Migration, work: () => Promise<void>): Promise<void> {
    // Of a new database a newcomer would read two lines for each, and nothing waits for it.
    const onStep = this.#isNew === true ? () => {} : this.#onStep;
    if (!this.#begunAtMs.has(name)) onStep({ kind: 'begins', migration: name });
    const begunAtMs = this.#begunAtMs.get(name) ?? performance.now();
    this.#begunAtMs.set(name, begunAtMs);
    await work();
    onStep({ kind: 'is done', migration: name, durationMs: Math.round(performance.now() - begunAtMs) });
  }

  /**
   * Repeats what others hold locks for. What waits for a lock is itself waited for, by all that come after it: so it waits
   * for a moment only, and between two tries there is time for those that it held up. Others have their turn meanwhile.
   */
  async #untilUnlocked<T>(work: () => Promise<T>): Promise<T> {
    const { migrationLockMs, longMigrationLockMs, migrationPauseMs } = this.#timings;
    for (let tries = 1; ; tries++) {
      // An autovacuum gives way to who has waited for a second, and may take hours otherwise.
      this.#lockMs = tries % TRIES_PER_WORD === 0 ? longMigrationLockMs : migrationLockMs;
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof LockedOut)) throw error;
        const { migration, message: reason } = error;
        if (tries % TRIES_PER_WORD === 1) this.#onStep({ kind: 'is tried again', migration, reason });
      }
      await this.#client.query('select pg_advisory_unlock_all()');
      await sleep(migrationPauseMs * Math.min(tries, TRIES_PER_WORD));
    }
  }

  #read(): Promise<SchemaChange[]> {
    return readSchemaChanges(async <Row extends object>(statement: string) => {
      const { rows } = await this.#client.query<Row>(statement);
      return rows;
    });
  }

  async #olderLives(version: string): Promise<boolean> {
    const { rows } = await this.#client.query(
      `select from processes where string_to_array(version, '.')::int[] < string_to_array($1, '.')::int[]`,
      [version],
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
