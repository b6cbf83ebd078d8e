/** Reads a process and all its descendants from /proc (proc(5)). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ProcessInfo {
  pid: number;
  /** The clock ticks from boot to the start of the process. The pid and this number together identify a process forever. */
  startTicks: number;
  parentPid: number;
  processGroup: number;
  /** The arguments, joined by spaces. PostgreSQL processes write their purpose into their arguments. */
  command: string;
  /** The name of the program without its folder. */
  executable: string;
  /** The user and system time of the process, and of its children that have ended. */
  cpuSeconds: number;
}

/** USER_HZ. On x86-64 and arm64, the kernel guarantees this value to user space, independent of the frequency of its own clock. */
export const TICKS_PER_SECOND = 100;

/** @returns null if the process does not exist or is a zombie */
export function readProcess(pid: number): ProcessInfo | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces and parentheses.
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

/** A process and its descendants. Parents come before children. */
export function processTree(rootPid: number): ProcessInfo[] {
  return withDescendants(({ pid }) => pid === rootPid);
}

/** The members of a process group and their descendants, even if the group's leader has ended. */
export function processGroupTree(group: number): ProcessInfo[] {
  return withDescendants(({ processGroup }) => processGroup === group);
}

function withDescendants(isRoot: (info: ProcessInfo) => boolean): ProcessInfo[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((info) => info !== null);
  const found = new Set(all.filter(isRoot));
  // Iterating over a set includes items that are added during the iteration.
  for (const parent of found) {
    for (const info of all) if (info.parentPid === parent.pid) found.add(info);
  }
  return [...found];
}

/**
 * The proportional set size of a process. A page shared by n processes is counted as 1/n of a page in each process, so the sum over a tree
 * counts the page once. 0 if the process has ended.
 */
export function pssBytes(pid: number): number {
  try {
    const line = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
    return Number(line?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
