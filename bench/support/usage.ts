/** The memory and processor time that the product's processes use, by purpose. */
import { type ProcessInfo, pssBytes } from './process-tree.ts';

/** A number for each purpose of a process: `supervisor`, `postgres`, or the roles in the title of the process. */
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

/** The proportional set size of the processes, in megabytes. */
export function memoryMb(processes: readonly ProcessInfo[]): Usage {
  return sum(processes, ({ pid }) => pssBytes(pid) / 1e6);
}

const SAMPLE_MS = 250;

/** Watches the memory during work. @param memory returns the current memory @returns the result of the work, and the peak memory */
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

/** The microseconds of processor time per item between two measurements. */
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

/** Formats the numbers with their purposes: `http 80, postgres 60`. */
export function formatUsage(usage: Usage): string {
  return Object.entries(usage)
    .map(([purpose, value]) => `${purpose} ${Math.round(value)}`)
    .join(', ');
}
