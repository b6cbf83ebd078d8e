/** `postmaster.pid`, in which a running PostgreSQL says who and where it is, and `/proc`, which says if it is true. */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface PostmasterFile {
  pid: number;
  socketFolder: string;
  /** It takes connections. */
  ready: boolean;
}

/** Null when there is none, or not yet all of it. Lines: src/include/utils/pidfile.h of PostgreSQL. */
export function readPostmasterFile(cluster: string): PostmasterFile | null {
  const [pid, , , , socketFolder, , , status] = readText(join(cluster, 'postmaster.pid')).split('\n');
  if (pid === undefined || !/^\d+$/.test(pid)) return null;
  return { pid: Number(pid), socketFolder: socketFolder ?? '', ready: status?.trim() === 'ready' };
}

/** Whether the process is the PostgreSQL of this cluster, rather than another one that got its number later. */
export function isPostmasterOf(cluster: string, pid: number): boolean {
  const [program = '', ...args] = readText(`/proc/${pid}/cmdline`).split('\0');
  return basename(program) === 'postgres' && args[0] === '-D' && args[1] === cluster;
}

/** The processes of a PostgreSQL of this cluster, whether or not its postmaster still lives: each works in the cluster's folder. */
export function serverProcessesOf(cluster: string): number[] {
  return listProcesses().filter(
    (pid) =>
      readLink(`/proc/${pid}/cwd`) === cluster && basename(readLink(`/proc/${pid}/exe`)) === 'postgres',
  );
}

/** None where the system has no `/proc`. */
function listProcesses(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Empty when the process is gone or another user's. */
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
