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
/** A web server's clock is compared over more of a distance. */
const WARN_ELSEWHERE_MS = 5_000;
const SET_CLOCK = 'Keep the clock right with NTP: "timedatectl" shows whether it is.';

/**
 * Compares the clock with that of PostgreSQL, which may be on this machine, with that of the web server of the probe domain, and
 * with the time stamps of the files in the data folder.
 */
export async function checkClock(world: World): Promise<Finding> {
  const { config, database, nowMs, probeDomain } = world;
  const [offset, elsewhere] = await Promise.all([
    'error' in database ? null : offsetMs(database.opened, nowMs),
    offsetElsewhereMs(world),
  ]);
  const finding =
    judge(offset, WARN_OFFSET_MS, 'PostgreSQL') ?? judge(elsewhere, WARN_ELSEWHERE_MS, probeDomain);
  if (finding !== null) return finding;
  const file = await fileFromTheFuture(config.dataDir, nowMs() + FILE_SLACK_MS);
  if (file !== null) {
    return warning(`The file ${file} is from the future: the clock was ahead, or is behind.`, SET_CLOCK);
  }
  const same = [
    ...(offset === null ? [] : ['PostgreSQL']),
    ...(elsewhere === null ? [] : [`the web server of ${probeDomain}`]),
  ];
  return ok(
    `${same.length === 0 ? 'No clock could be compared with that of this machine' : `The clock is that of ${same.join(' and of ')}`}, and no file of the data folder is from the future.`,
  );
}

/** @param apartMs null: not known */
function judge(apartMs: number | null, warnMs: number, whose: string): Finding | null {
  if (apartMs === null || apartMs <= warnMs) return null;
  const seen = `The clock of this machine and that of ${whose} are ${Math.round(apartMs / 1_000)} seconds apart.`;
  return apartMs > BAD_OFFSET_MS ? problem(seen, SET_CLOCK) : warning(seen, SET_CLOCK);
}

async function offsetElsewhereMs({ timeAt, probeDomain, nowMs }: World): Promise<number | null> {
  const beforeMs = nowMs();
  const there = await timeAt(probeDomain);
  return there === null ? null : Math.max(0, there.fromMs - nowMs(), beforeMs - there.toMs);
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
