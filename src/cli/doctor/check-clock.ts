import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { clusterFolder } from '../../db/embedded/cluster.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

const WARN_OFFSET_MS = 2_000;
const BAD_OFFSET_MS = 60_000;
/** What a file may be ahead: file systems and networks round. */
const FILE_SLACK_MS = 10_000;
const SET_CLOCK = 'Keep the clock right with NTP: "timedatectl" shows whether it is.';

/** Compares the clock with that of PostgreSQL, and with the time stamps of the files in the data folder. */
export async function checkClock({ config, database, nowMs }: World): Promise<Finding> {
  const offset = 'error' in database ? null : await offsetMs(database.opened, nowMs);
  const apart = offset === null ? 0 : Math.abs(offset);
  if (apart > WARN_OFFSET_MS) {
    const seen = `The clock of this machine and that of PostgreSQL are ${Math.round(apart / 1_000)} seconds apart.`;
    return apart > BAD_OFFSET_MS ? problem(seen, SET_CLOCK) : warning(seen, SET_CLOCK);
  }
  const file = await fileFromTheFuture(config.dataDir, nowMs() + FILE_SLACK_MS);
  if (file !== null) {
    return warning(`The file ${file} is from the future: the clock was ahead, or is behind.`, SET_CLOCK);
  }
  return ok(
    offset === null
      ? 'No file of the data folder is from the future.'
      : 'The clock is that of PostgreSQL, and no file of the data folder is from the future.',
  );
}

/** Less what the question itself may account for. */
async function offsetMs(database: Database, nowMs: () => number): Promise<number> {
  // Opening the connection is not part of what is measured.
  await sql`select 1`.execute(database);
  const beforeMs = nowMs();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(database);
  const halfMs = (nowMs() - beforeMs) / 2;
  const offset = (rows[0]?.now.getTime() ?? beforeMs) - (beforeMs + halfMs);
  return Math.max(0, Math.abs(offset) - halfMs);
}

/** Looks at the folder and at the top of the cluster: PostgreSQL writes there at each start and each checkpoint. */
async function fileFromTheFuture(dataDir: string, limitMs: number): Promise<string | null> {
  for (const folder of [dataDir, clusterFolder(dataDir)]) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names) {
      const path = join(folder, name);
      const file = await stat(path).catch(() => null);
      if (file !== null && file.mtimeMs > limitMs) return path;
    }
  }
  return null;
}
