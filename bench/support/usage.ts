/** What the processes of the product use, by what they are for. */
import { type ProcessInfo, pssBytes } from './process-tree.ts';

/** By purpose: `postgres`, or the role of a process of ours. */
export type Usage = Record<string, number>;

/**
 * The processes of the roles are told apart by when they started: the first is that of `http`, the order of
 * src/process/plan.ts.
 */
function purposesOf(processes: readonly ProcessInfo[]): Map<ProcessInfo, string> {
  const roles = processes.filter(({ command }) => command.includes('src/process/child.ts'));
  roles.sort((a, b) => a.startTicks - b.startTicks || a.pid - b.pid);
  return new Map(
    processes.map((info) => {
      if (info.executable === 'postgres') return [info, 'postgres'];
      return [info, roles.includes(info) ? (info === roles[0] ? 'http' : 'worker') : 'supervisor'];
    }),
  );
}

function sum(processes: readonly ProcessInfo[], valueOf: (info: ProcessInfo) => number): Usage {
  const usage: Usage = {};
  for (const [info, purpose] of purposesOf(processes)) usage[purpose] = (usage[purpose] ?? 0) + valueOf(info);
  return usage;
}

/** Proportional set size in megabytes. */
export function memoryMb(processes: readonly ProcessInfo[]): Usage {
  return sum(processes, ({ pid }) => pssBytes(pid) / 1e6);
}

export function cpuSeconds(processes: readonly ProcessInfo[]): Usage {
  return sum(processes, (info) => info.cpuSeconds);
}

export function total(usage: Usage): number {
  return Object.values(usage).reduce((all, value) => all + value, 0);
}

/** `http 80, postgres 60` */
export function formatUsage(usage: Usage): string {
  return Object.entries(usage)
    .map(([purpose, value]) => `${purpose} ${Math.round(value)}`)
    .join(', ');
}
