/** Reads the running versions and the migrations of the database, for upgrades (docs/operate/upgrade.md). */
import type { SystemVersions } from '../../contract/dashboard/system.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { readMigrations } from '../../db/migration-files.ts';
import { TIMINGS } from '../../db/timings.ts';
import { VERSION } from '../../model/version.ts';

const RUNNING = columnsOf({ version: 'text', host: 'text', processes: 'int4' });
const SERVER = columnsOf({ version: 'text' });
const CHANGE = columnsOf({ name: 'text', servesFrom: 'text?', appliedAt: 'timestamptz?' });

type Migration = SystemVersions['migrations'][number];

export async function readVersions(database: Database): Promise<SystemVersions> {
  const { rows: running } = await RUNNING.sql`
    select version, host, count(*)::int as processes from processes
    where heartbeat_at > now() - ${TIMINGS.expiryMs} * interval '1 millisecond'
    group by version, host order by version desc, host limit 500`.execute(database);
  const { rows: server } = await SERVER.sql`
    select split_part(current_setting('server_version'), ' ', 1) as version`.execute(database);
  const { rows: changes } = await CHANGE.sql`
    select name, serves_from, applied_at from schema_changes order by name`.execute(database);
  const known = new Map(changes.map((change) => [change.name, change]));
  const own = readMigrations();
  for (const { name, servesFrom } of own)
    if (!known.has(name)) known.set(name, { name, servesFrom, appliedAt: null });
  const isContract = new Set(own.filter(({ servesFrom }) => servesFrom !== null).map(({ name }) => name));
  const migrations = [...known.values()].map(
    ({ name, servesFrom, appliedAt }): Migration => ({
      name,
      state: appliedAt !== null ? 'done' : isContract.has(name) ? 'waits' : 'missing',
      done_at: appliedAt?.toISOString() ?? null,
      serves_from: servesFrom,
    }),
  );
  return {
    version: VERSION,
    node: process.versions.node,
    postgresql: server[0]?.version ?? '',
    running,
    migrations: migrations.toSorted((one, other) => (one.name < other.name ? 1 : -1)),
  };
}
