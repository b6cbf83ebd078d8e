/** Finds a running PostgreSQL from its `postmaster.pid`, and verifies in `/proc` that the process is PostgreSQL. */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface PostmasterFile {
  pid: number;
  socketFolder: string;
  /** Whether the server accepts connections. */
  ready: boolean;
}

/**
 * Reads `postmaster.pid`. PostgreSQL's src/include/utils/pidfile.h defines the lines of this file.
 * @returns null if the file does not exist or is incomplete
 */
export function readPostmasterFile(cluster: string): PostmasterFile | null {
  const [pid, , , , socketFolder, , , status] = readText(join(cluster, 'postmaster.pid')).split('\n');
  if (pid === undefined || !/^\d+$/.test(pid)) return null;
  return { pid: Number(pid), socketFolder: socketFolder ?? '', ready: status?.trim() === 'ready' };
}

/** Whether the process is the PostgreSQL of this cluster. False for another process that later got the same process id. */
export function isPostmasterOf(cluster: string, pid: number): boolean {
  const [program = '', ...args] = readText(`/proc/${pid}/cmdline`).split('\0');
  return basename(program) === 'postgres' && args[0] === '-D' && args[1] === cluster;
}

/**
 * The PostgreSQL processes of this cluster, even if the postmaster is dead. They are found by their working directory, which is the
 * cluster.
 */
export function serverProcessesOf(cluster: string): number[] {
  return listProcesses().filter(
    (pid) =>
      readLink(`/proc/${pid}/cwd`) === cluster && basename(readLink(`/proc/${pid}/exe`)) === 'postgres',
  );
}

/** The ids of all processes. Empty if the system has no `/proc`. */
function listProcesses(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** The target of a link in `/proc`. Empty if the process has exited or belongs to another user. */
function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
