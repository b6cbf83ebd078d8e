/** Measures the load of other processes, to distinguish a slow product from a busy machine. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { processTree, TICKS_PER_SECOND } from './process-tree.ts';

/** @returns a function that returns the share (0 to 1) of all cores that other processes or virtual machines have used since this call */
export function watchOthers(): () => number {
  const [fromMs, fromSeconds] = [performance.now(), secondsOfOthers()];
  return () => {
    const availableSeconds = ((performance.now() - fromMs) / 1000) * availableParallelism();
    return Math.max(0, (secondsOfOthers() - fromSeconds) / availableSeconds);
  };
}

/** Processor time used by all processes and by other virtual machines (proc_stat(5)). Excludes interrupts, which belong to no process. */
function secondsOfOthers(): number {
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] =
    /^cpu +(.+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]?.split(' ').map(Number) ?? [];
  const ours = processTree(process.pid).reduce((sum, info) => sum + info.cpuSeconds, 0);
  return (user + nice + system + steal) / TICKS_PER_SECOND - ours;
}
