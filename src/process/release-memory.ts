import { performance } from 'node:perf_hooks';

/**
 * A busy process collects garbage by itself and must not pause for this. A process with a little work is collected only after a while, so
 * that it is not collected repeatedly. An idle process is collected soon: a thousand mail apps that have just signed in leave a hundred
 * megabytes of garbage.
 */
const SCHEDULE = [
  { everyMs: 5_000, maxUtilization: 0.02 },
  { everyMs: 15_000, maxUtilization: 0.1 },
];
const WORTHWHILE_BYTES = 32 * 1024 * 1024;

/**
 * Collects garbage now, and whenever the process has been idle for a while and has grown since. A burst of large emails leaves
 * more garbage than the whole process needs, and an idle process does not collect it by itself. A collection takes about
 * 30 ms. Without `--expose-gc` this does nothing.
 */
export function releaseMemory(): void {
  let sizeBytes = collect();
  for (const { everyMs, maxUtilization } of SCHEDULE) {
    let utilization = performance.eventLoopUtilization();
    setInterval(() => {
      const since = performance.eventLoopUtilization(utilization);
      utilization = performance.eventLoopUtilization();
      if (since.utilization > maxUtilization) return;
      if (process.memoryUsage.rss() > sizeBytes + WORTHWHILE_BYTES) sizeBytes = collect();
    }, everyMs).unref();
  }
}

/** @returns the resident size of the process after the collection */
function collect(): number {
  globalThis.gc?.({ flavor: 'last-resort' });
  return process.memoryUsage.rss();
}
