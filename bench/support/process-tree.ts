/** What /proc (proc(5)) says of a process and all its descendants. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ProcessInfo {
  pid: number;
  /** Clock ticks from boot to its start: with the pid, an identity that is never used again. */
  startTicks: number;
  parentPid: number;
  processGroup: number;
  /** Arguments joined by spaces; a PostgreSQL process writes its purpose here. */
  command: string;
  /** The name of the program, without its folder. */
  executable: string;
  /** User and system time, with that of children which have ended. */
  cpuSeconds: number;
}

/** USER_HZ: what the kernel promises to user space on x86-64 and arm64, whatever its own clock is. */
export const TICKS_PER_SECOND = 100;

/** @returns null when there is no such process, or it has ended and waits for its parent to notice */
export function readProcess(pid: number): ProcessInfo | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces and parentheses of its own.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return null;
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return {
      pid,
      startTicks: Number(fields[19]),
      parentPid: Number(fields[1]),
      processGroup: Number(fields[2]),
      command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim(),
      executable: readExecutable(pid),
      cpuSeconds: ticks / TICKS_PER_SECOND,
    };
  } catch {
    return null;
  }
}

function readExecutable(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`).replace(/^.*\//, '');
  } catch {
    return '';
  }
}

/** A process and its descendants, parents before children. */
export function processTree(rootPid: number): ProcessInfo[] {
  return withDescendants(({ pid }) => pid === rootPid);
}

/** The members of a process group, whether or not the process that it is named after still runs, and their descendants. */
export function processGroupTree(group: number): ProcessInfo[] {
  return withDescendants(({ processGroup }) => processGroup === group);
}

function withDescendants(isRoot: (info: ProcessInfo) => boolean): ProcessInfo[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((info) => info !== null);
  const found = new Set(all.filter(isRoot));
  // A set goes on over what is added meanwhile.
  for (const parent of found) {
    for (const info of all) if (info.parentPid === parent.pid) found.add(info);
  }
  return [...found];
}

/**
 * Proportional set size: a page that n processes share counts for 1/n in each, so the sum over a tree counts it once.
 * 0 when the process has ended.
 */
export function pssBytes(pid: number): number {
  try {
    const line = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
    return Number(line?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
