/** Checks the settings, and the disk and clock of the machine. */
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

/** Whether this is a trial: the sandbox in development, which sends no real mail. */
export function isTrialOf({ provider, environment }: World['config']): boolean {
  return provider === 'sandbox' && environment === 'development';
}

/** Checks that a provider that sends real mail is set, and that direct delivery does not connect to private networks. */
export async function checkEnvironment({ config }: World): Promise<Finding> {
  const { provider, environment } = config;
  if (provider === null) {
    return problem(
      'POSTHORN_PROVIDER is not set, so no mail is sent.',
      'Set POSTHORN_PROVIDER to direct, smtp or ses, or to sandbox, which delivers nothing.',
    );
  }
  if (isTrialOf(config)) {
    return ok(
      'POSTHORN_PROVIDER is sandbox, so no mail is actually delivered, and checks for real delivery are skipped. Before you send real mail, set it to direct, smtp or ses, and run the checks again.',
    );
  }
  if (provider === 'sandbox') {
    return warning(
      'POSTHORN_PROVIDER is sandbox, so no mail is actually delivered.',
      'Set POSTHORN_PROVIDER to direct, smtp or ses, and run the checks again.',
    );
  }
  if (provider === 'direct' && environment === 'development') {
    return warning(
      "POSTHORN_ENV is development, so Posthorn connects to private addresses. A recipient's DNS can direct it to servers in your own network.",
      'Set POSTHORN_ENV to production.',
    );
  }
  return ok(`POSTHORN_PROVIDER is ${provider}, and POSTHORN_ENV is ${environment}.`);
}

/** Checks that every variable that looks like a setting is a setting. */
export async function checkVariables({ env }: World): Promise<Finding> {
  const unknown = unknownVariables(env);
  if (unknown.length === 0) return ok('All POSTHORN_* environment variables are known settings.');
  return warning(
    unknown.map(describeUnknown).join(' '),
    'Correct the name, or remove the variable, which has no effect. "posthorn config" lists all settings.',
  );
}

/** Checks that /metrics can be read. */
export async function checkMetrics({ config }: World): Promise<Finding> {
  const { metricsToken, environment } = config;
  if (metricsToken !== null) return ok('/metrics is available to clients that send POSTHORN_METRICS_TOKEN.');
  if (environment === 'development') return ok('/metrics is available on this machine.');
  return warning(
    'POSTHORN_METRICS_TOKEN is not set, so /metrics is not available.',
    'Set POSTHORN_METRICS_TOKEN, and configure it in Prometheus, so that you notice problems before your users do.',
  );
}

const GB = 1024 ** 3;
const WARN_SHARE = 0.1;
/** Fewer free files than this are a problem. PostgreSQL creates a few thousand files in its first days. */
const FEW_FILES = 10_000;
const FREE_SPACE = 'Free some space, or move the data folder (POSTHORN_DATA) to a larger disk.';

/** Checks that the disk of the data folder has space for mail. */
export async function checkDisk({ config, space }: World): Promise<Finding> {
  const { freeBytes, totalBytes, freeFiles, totalFiles } = await space(nearestFolder(config.dataDir));
  const gigabytes = (octets: number) => `${Number((octets / GB).toFixed(1))} GB`;
  const free = `${gigabytes(freeBytes)} of ${gigabytes(totalBytes)} is free on the disk of ${config.dataDir}.`;
  if (freeBytes < GB) return problem(free, FREE_SPACE);
  if (totalFiles > 0 && freeFiles < FEW_FILES) {
    return problem(
      `Only ${freeFiles} more files can be created on the disk of ${config.dataDir}, even if space is left.`,
      'Remove files that you do not need ("df -i" shows the numbers), or move the data folder (POSTHORN_DATA) to another disk.',
    );
  }
  if (freeBytes < totalBytes * WARN_SHARE) return warning(free, FREE_SPACE);
  return ok(
    config.databaseUrl === null
      ? free
      : `${free} The disk of PostgreSQL cannot be checked from here, so monitor it separately.`,
  );
}

/** The folder itself, or if it does not exist, the nearest existing folder above it. */
function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

/** A file may be this far in the future, because file systems and networks round times. */
const FILE_SLACK_MS = 10_000;
/**
 * The limits for the difference from a web server's clock. These limits are larger than for PostgreSQL, because a web server is further
 * away.
 */
const WARN_ELSEWHERE_MS = 5_000;
const BAD_ELSEWHERE_MS = 60_000;
const SET_CLOCK = 'Synchronize the clock with NTP. "timedatectl" shows its state.';

/**
 * Compares this machine's clock with PostgreSQL's clock (PostgreSQL may run on this machine), with the clock of the probe domain's web
 * server, and with the timestamps of the files in the data folder.
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
    return warning(
      `The time of the file ${file} is in the future. The clock was ahead, or is behind now.`,
      SET_CLOCK,
    );
  }
  const same = [
    ...(offset === null ? [] : ['PostgreSQL']),
    ...(elsewhere === null ? [] : [`the web server of ${probeDomain}`]),
  ];
  return ok(
    `${same.length === 0 ? 'The clock of this machine could not be compared with another one' : `The clock agrees with ${same.join(' and ')}`}, and no file in the data folder has a time in the future.`,
  );
}

/** @param apartMs the difference between the clocks; null if unknown */
function judge(apartMs: number | null, warnMs: number, badMs: number, whose: string): Finding | null {
  if (apartMs === null || apartMs <= warnMs) return null;
  const seen = `The clocks of this machine and of ${whose} differ by ${Math.round(apartMs / 1_000)} seconds.`;
  return apartMs > badMs ? problem(seen, SET_CLOCK) : warning(seen, SET_CLOCK);
}

/** Checks the other machines. Reports the machine whose clock differed most at its last heartbeat. */
async function judgeOthers(database: Database): Promise<Finding | null> {
  const { rows } = await CLOCK_OF_HOST.sql`
    select host, abs(clock_ahead_ms) as apart_ms from processes
    where abs(clock_ahead_ms) >= ${WARN_OFFSET_MS}
      and heartbeat_at >= now() - ${TIMINGS.expiryMs} * interval '1 millisecond'
    order by apart_ms desc limit 1`.execute(database);
  const [worst] = rows;
  if (worst === undefined) return null;
  const seen = `The clocks of the machine ${worst.host} and of PostgreSQL differ by ${Math.round(worst.apartMs / 1_000)} seconds.`;
  const advice = `On ${worst.host}: ${SET_CLOCK}`;
  return worst.apartMs >= BAD_OFFSET_MS ? problem(seen, advice) : warning(seen, advice);
}

async function offsetElsewhereMs({ timeAt, probeDomain, nowMs }: World): Promise<number | null> {
  const beforeMs = nowMs();
  const remote = await timeAt(probeDomain);
  return remote === null ? null : Math.max(0, remote.fromMs - nowMs(), beforeMs - remote.toMs);
}

/** The difference from PostgreSQL's clock, minus the part that the duration of the query may have caused. */
async function offsetMs(database: Database, nowMs: () => number): Promise<number> {
  // The first query opens the connection, so that the time for opening is not part of the measurement.
  await sql`select 1`.execute(database);
  const beforeMs = nowMs();
  const { rows } = await NOW.sql`select clock_timestamp() as now`.execute(database);
  const halfMs = (nowMs() - beforeMs) / 2;
  const offset = (rows[0]?.now.getTime() ?? beforeMs) - (beforeMs + halfMs);
  return Math.max(0, Math.abs(offset) - halfMs);
}

/** Checks the files directly in the data folder and in the cluster folder, where PostgreSQL writes at each start and checkpoint. */
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
