/** Runs the PostgreSQL of the npm packages on a cluster in the data folder. */
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SystemAccount, chooseAccount, dieWithParent } from './account.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { clusterFolder, ensureCluster } from './cluster.ts';
import { openDataFolder } from './data-folder.ts';
import { isPostmasterOf, readPostmasterFile, serverProcessesOf } from './postmaster-file.ts';
import { SETTINGS, type Settings, STATEMENT_COUNTS } from './settings.ts';
import { makeSocketFolder, socketFolder, socketUrl } from './socket-folder.ts';
import { StartupError } from '../../model/startup-error.ts';

export interface EmbeddedPostgres {
  /** The URL of the database `posthorn` for its superuser. The URL is the same at every start. */
  readonly url: string;
  readonly pid: number;
  /** Resolves when the server has exited for any reason. Never rejects. */
  readonly exited: Promise<void>;
  /**
   * Stops the server and resolves when the server has exited. `fast` writes a checkpoint. `immediate` leaves recovery to the next start.
   */
  stop(how: 'fast' | 'immediate'): Promise<void>;
}

const POLL_MS = 10;
/** How long a start waits for killed processes of an earlier server to exit. */
const REMAINS_MS = 5_000;
const ORPHAN_STOP_MS = 10_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;
const LOG_CHECK_MS = 60_000;

/**
 * Starts the server, creates the cluster if it is missing, and resolves when the server accepts connections. First stops a server that an
 * earlier run left running, so the caller must hold the lock of the data folder. The server stops when this process ends.
 * @param overrides settings that replace settings in `SETTINGS`
 * @throws StartupError
 */
export async function startEmbedded(dataDir: string, overrides: Settings = {}): Promise<EmbeddedPostgres> {
  const folder = openDataFolder(dataDir);
  const cluster = clusterFolder(folder);
  const sockets = socketFolder(folder);
  const binaries = findBinaries(folder);
  await clearRemains(cluster);
  const account = chooseAccount(cluster);
  await ensureCluster(cluster, binaries, account);
  makeSocketFolder(sockets, account);
  const settings = {
    ...SETTINGS,
    ...(binaries.canCountStatements && STATEMENT_COUNTS),
    ...overrides,
    unix_socket_directories: sockets,
  };
  const logPath = join(folder, 'postgres.log');
  for (const deadline = Date.now() + REMAINS_MS; ; await sleep(100)) {
    const started = await launch(cluster, binaries, account, settings, logPath);
    if (!('output' in started)) return { ...started, url: socketUrl(sockets, 'posthorn') };
    if (
      /pre-existing shared memory block|lock file .* already exists/.test(started.output) &&
      Date.now() < deadline
    )
      continue;
    throw new StartupError(
      `The embedded PostgreSQL does not start. Its log ${logPath} says:\n${started.output}`,
    );
  }
}

/** Stops the processes of an earlier run and removes a pid file whose number now belongs to another process. */
async function clearRemains(cluster: string): Promise<void> {
  const file = readPostmasterFile(cluster);
  const isPostmaster = file !== null && isPostmasterOf(cluster, file.pid);
  if (isPostmaster) await stopPostmaster(cluster, file.pid);
  // Needed even if no postmaster was found, or if the postmaster has stopped, because the child processes of a killed postmaster keep
  // running.
  await endServerProcesses(cluster);
  // With this file, PostgreSQL would mistake the other process for a server, and would not start.
  if (file !== null && !isPostmaster) rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

/**
 * Ends the child processes of a server whose postmaster was killed. Otherwise each child process would exit only after its current
 * statement, and no other server could start until all of them had exited. The uncommitted work of the child processes is lost in any case,
 * because their clients are gone.
 */
async function endServerProcesses(cluster: string): Promise<void> {
  const startedMs = Date.now();
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    const until = startedMs + (signal === 'SIGQUIT' ? REMAINS_MS / 2 : REMAINS_MS);
    let remaining = serverProcessesOf(cluster);
    for (const pid of remaining) sendSignal(pid, signal);
    while (remaining.length > 0 && Date.now() < until) {
      await sleep(POLL_MS);
      remaining = serverProcessesOf(cluster);
    }
    if (remaining.length === 0) return;
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has exited.
  }
}

async function stopPostmaster(cluster: string, pid: number): Promise<void> {
  const deadline = Date.now() + ORPHAN_STOP_MS;
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    sendSignal(pid, signal);
    const until = signal === 'SIGINT' ? deadline - ORPHAN_STOP_MS / 2 : deadline;
    while (Date.now() < until) {
      if (!isPostmasterOf(cluster, pid)) return;
      await sleep(POLL_MS);
    }
  }
  throw new StartupError(
    `A PostgreSQL that an earlier server left behind (process ${pid}) does not stop. Kill it, then start again.`,
  );
}

async function launch(
  cluster: string,
  binaries: Binaries,
  account: SystemAccount,
  settings: Settings,
  logPath: string,
): Promise<Omit<EmbeddedPostgres, 'url'> | { output: string }> {
  const log = openSync(logPath, 'a', 0o600);
  trim(log);
  const logStart = fstatSync(log).size;
  const [command = '', ...args] = [
    ...account.prefix,
    ...dieWithParent(),
    binaries.postgres,
    '-D',
    cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  // PostgreSQL is detached, because Ctrl-C in a terminal must only reach the supervisor, which stops PostgreSQL last.
  const child = spawn(command, args, {
    env: binaries.env,
    detached: true,
    cwd: '/',
    stdio: ['ignore', log, log],
  });
  const trimming = setInterval(trim, LOG_CHECK_MS, log).unref();
  let hasExited = false;
  const exited = new Promise<void>((resolve) => {
    const end = () => {
      hasExited = true;
      clearInterval(trimming);
      closeSync(log);
      resolve();
    };
    child.once('exit', end);
    child.once('error', end);
  });
  const pid = child.pid ?? 0;
  while (!hasExited) {
    const file = readPostmasterFile(cluster);
    if (file !== null && file.pid === pid && file.ready) break;
    await sleep(POLL_MS);
  }
  if (hasExited) return { output: readFileSync(logPath).subarray(logStart).toString().trim().slice(-2_000) };
  // A running PostgreSQL must not keep this process alive.
  child.unref();
  return {
    pid,
    exited,
    async stop(how) {
      child.ref();
      if (!hasExited) child.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await exited;
    },
  };
}

/** Empties a log that is too large. This is safe while PostgreSQL runs, because PostgreSQL opens its log for appending. */
function trim(log: number): void {
  if (fstatSync(log).size > MAX_LOG_BYTES) ftruncateSync(log);
}
