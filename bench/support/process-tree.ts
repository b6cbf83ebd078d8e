/** Reads a process and all its descendants from /proc (proc(5)). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ProcessInfo {
  pid: number;
  /** Clock ticks from boot to the start of the process. Together with the pid, an identity that is never reused. */
  startTicks: number;
  parentPid: number;
  processGroup: number;
  /** Arguments joined by spaces; PostgreSQL processes write their purpose here. */
  command: string;
  /** Name of the program without its folder. */
  executable: string;
  /** User and system time of the process and of its children that have ended. */
  cpuSeconds: number;
}

/** USER_HZ, which the kernel guarantees to user space on x86-64 and arm64, whatever the frequency of the kernel's own clock. */
export const TICKS_PER_SECOND = 100;

/** @returns null if there is no such process, or if it is a zombie */
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

/** A process and its descendants, parents before children. */
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
  // Iterating over a set includes items that are added meanwhile.
  for (const parent of found) {
    for (const info of all) if (info.parentPid === parent.pid) found.add(info);
  }
  return [...found];
}

/**
 * The proportional set size: a page shared by n processes counts as 1/n in each process, so the sum over a tree counts the page once. 0 if the process
 * has ended.
 */
export function pssBytes(pid: number): number {
  try {
    const line = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
    return Number(line?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
