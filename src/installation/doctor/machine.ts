/** The settings, and the machine itself. */
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { describeUnknown, unknownVariables } from '../../app/unknown-variables.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { clusterFolder } from '../embedded/cluster.ts';
import { TIMINGS } from '../../db/timings.ts';
import { BAD_OFFSET_MS, WARN_OFFSET_MS } from '../../model/clock.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

const CLOCK_OF_HOST = columnsOf({ host: 'text', apartMs: 'float8' });
const NOW = columnsOf({ now: 'timestamptz' });

/** Whether somebody tries Posthorn out: nothing goes outside, and nothing is meant to. */
export function isTrialOf({ provider, environment }: World['config']): boolean {
  return provider === 'sandbox' && environment === 'development';
}

/** Whether mail goes outside, and nowhere else. */
export async function checkEnvironment({ config }: World): Promise<Finding> {
  const { provider, environment } = config;
  if (provider === null) {
    return problem(
      'POSTHORN_PROVIDER is not set: no mail is sent.',
      'Set POSTHORN_PROVIDER to direct, smtp or ses; or to sandbox, which delivers nothing.',
    );
  }
  if (isTrialOf(config)) {
    return ok(
      'POSTHORN_PROVIDER is sandbox: nothing is delivered outside, and what that would need is not looked at. Set it to direct, smtp or ses, and run this again, before mail is to leave.',
    );
  }
  if (provider === 'sandbox') {
    return warning(
      'POSTHORN_PROVIDER is sandbox: nothing is delivered outside.',
      'Set POSTHORN_PROVIDER to direct, smtp or ses, and run this again.',
    );
  }
  if (provider === 'direct' && environment === 'development') {
    return warning(
      "POSTHORN_ENV is development: a recipient's DNS can lead Posthorn to servers of your own network, because private addresses are dialled.",
      'Set POSTHORN_ENV to production.',
    );
  }
  return ok(`POSTHORN_PROVIDER is ${provider}, and POSTHORN_ENV is ${environment}.`);
}

/** Whether every variable that looks like a setting is one. */
export async function checkVariables({ env }: World): Promise<Finding> {
  const unknown = unknownVariables(env);
  if (unknown.length === 0) return ok('Every variable with the name POSTHORN_... is a setting.');
  return warning(
    unknown.map(describeUnknown).join(' '),
    'Correct the name, or remove the variable: nothing reads it. "posthorn config" lists all settings.',
  );
}

/** Whether somebody may read /metrics. */
export async function checkMetrics({ config }: World): Promise<Finding> {
  const { metricsToken, environment } = config;
  if (metricsToken !== null) return ok('/metrics answers whoever sends POSTHORN_METRICS_TOKEN.');
  if (environment === 'development') return ok('/metrics answers this machine.');
  return warning(
    'POSTHORN_METRICS_TOKEN is not set: nobody may read /metrics.',
    'Set it, and give it to Prometheus: otherwise you hear of trouble from your users.',
  );
}

const GB = 1024 ** 3;
const WARN_SHARE = 0.1;
/** PostgreSQL makes some thousands of files in its first days. */
const FEW_FILES = 10_000;
const FREE_SPACE = 'Free some space, or move the data folder (POSTHORN_DATA) to a larger disk.';

/** Whether the disk of the data folder has space for mail. */
export async function checkDisk({ config, space }: World): Promise<Finding> {
  const { freeBytes, totalBytes, freeFiles, totalFiles } = await space(nearestFolder(config.dataDir));
  const free = `${(freeBytes / GB).toFixed(1)} GB of ${(totalBytes / GB).toFixed(1)} GB are free for ${config.dataDir}.`;
  if (freeBytes < GB) return problem(free, FREE_SPACE);
  if (totalFiles > 0 && freeFiles < FEW_FILES) {
    return problem(
      `There may be ${freeFiles} more files on the disk of ${config.dataDir}, however much space is left.`,
      'Remove files that nobody needs ("df -i" shows the figures), or move the data folder (POSTHORN_DATA) to another disk.',
    );
  }
  if (freeBytes < totalBytes * WARN_SHARE) return warning(free, FREE_SPACE);
  return ok(
    config.databaseUrl === null ? free : `${free} The disk of PostgreSQL cannot be seen from here: watch it.`,
  );
}

/** The folder itself, or the one that it is going to be made in. */
function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

/** A file may be this far ahead: file systems and networks round. */
const FILE_SLACK_MS = 10_000;
/** A web server is further away than PostgreSQL. */
const WARN_ELSEWHERE_MS = 5_000;
const BAD_ELSEWHERE_MS = 60_000;
const SET_CLOCK = 'Keep the clock right with NTP: "timedatectl" shows whether it is.';

/**
 * Compares the clock with that of PostgreSQL, which may be on this machine, with that of the probe domain's web server, and
 * with the time stamps of the files in the data folder.
 */
export async function checkClock(world: World): Promise<Finding> {
  const { config, database, nowMs, probeDomain } = world;
  const [offset, elsewhere] = await Promise.all([
    'error' in database ? null : offsetMs(database.opened, nowMs),
    offsetElsewhereMs(world),
  ]);
  const finding =
    judge(offset, WARN_OFFSET_MS, BAD_OFFSET_MS, 'PostgreSQL') ??
    judge(elsewhere, WARN_ELSEWHERE_MS, BAD_ELSEWHERE_MS, probeDomain) ??
    ('error' in database ? null : await judgeOthers(database.opened));
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
function judge(apartMs: number | null, warnMs: number, badMs: number, whose: string): Finding | null {
  if (apartMs === null || apartMs <= warnMs) return null;
  const seen = `The clock of this machine and that of ${whose} are ${Math.round(apartMs / 1_000)} seconds apart.`;
  return apartMs > badMs ? problem(seen, SET_CLOCK) : warning(seen, SET_CLOCK);
}

/** The machine whose clock was the furthest off at its latest heartbeat. */
async function judgeOthers(database: Database): Promise<Finding | null> {
  const { rows } = await CLOCK_OF_HOST.sql`
    select host, abs(clock_ahead_ms) as apart_ms from processes
    where abs(clock_ahead_ms) >= ${WARN_OFFSET_MS}
      and heartbeat_at >= now() - ${TIMINGS.goneMs} * interval '1 millisecond'
    order by apart_ms desc limit 1`.execute(database);
  const [worst] = rows;
  if (worst === undefined) return null;
  const seen = `The clock of the machine ${worst.host} and that of PostgreSQL are ${Math.round(worst.apartMs / 1_000)} seconds apart.`;
  const advice = `On ${worst.host}: ${SET_CLOCK}`;
  return worst.apartMs >= BAD_OFFSET_MS ? problem(seen, advice) : warning(seen, advice);
}

async function offsetElsewhereMs({ timeAt, probeDomain, nowMs }: World): Promise<number | null> {
  const beforeMs = nowMs();
  const there = await timeAt(probeDomain);
  return there === null ? null : Math.max(0, there.fromMs - nowMs(), beforeMs - there.toMs);
}

/** The part that the query itself may account for is taken off. */
async function offsetMs(database: Database, nowMs: () => number): Promise<number> {
  // Opening the connection is not part of what is measured.
  await sql`select 1`.execute(database);
  const beforeMs = nowMs();
  const { rows } = await NOW.sql`select clock_timestamp() as now`.execute(database);
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
