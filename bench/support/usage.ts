/** What the processes of the product use, by what they are for. */
import { type ProcessInfo, pssBytes } from './process-tree.ts';

/** A figure by purpose: `supervisor`, `postgres`, or the roles of a process, as its title has them. */
export type Usage = Record<string, number>;

function purposeOf({ executable, command }: ProcessInfo): string {
  if (executable === 'postgres') return 'postgres';
  return /^posthorn: (.+)$/.exec(command)?.[1] ?? 'supervisor';
}

function sum(processes: readonly ProcessInfo[], valueOf: (info: ProcessInfo) => number): Usage {
  const usage: Usage = {};
  for (const info of processes) usage[purposeOf(info)] = (usage[purposeOf(info)] ?? 0) + valueOf(info);
  return usage;
}

/** Proportional set size in megabytes. */
export function memoryMb(processes: readonly ProcessInfo[]): Usage {
  return sum(processes, ({ pid }) => pssBytes(pid) / 1e6);
}

const SAMPLE_MS = 250;

/** @param memory what is used at a moment @returns with what the work results in, the most that was used meanwhile */
export async function watchMemory<T>(
  memory: () => number,
  work: () => Promise<T>,
): Promise<{ result: T; most: number }> {
  let most = memory();
  const sampling = setInterval(() => (most = Math.max(most, memory())), SAMPLE_MS);
  try {
    return { result: await work(), most };
  } finally {
    clearInterval(sampling);
  }
}

export function cpuSeconds(processes: readonly ProcessInfo[]): Usage {
  return sum(processes, (info) => info.cpuSeconds);
}

/** Microseconds of processor time for each of `count`, between two looks. */
export function microsEach(before: Usage, after: Usage, count: number): Usage {
  return Object.fromEntries(
    Object.entries(after).map(([purpose, seconds]) => [
      purpose,
      ((seconds - (before[purpose] ?? 0)) * 1e6) / count,
    ]),
  );
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
