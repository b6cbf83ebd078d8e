/** `postmaster.pid`, in which a running PostgreSQL says who and where it is, and `/proc`, which says if it is true. */
import { readFileSync } from 'node:fs';
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

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
