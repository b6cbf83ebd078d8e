import { performance } from 'node:perf_hooks';

/**
 * A busy process collects by itself, and must not stand still for this. One that does a little waits for a while, lest it be collected again and again;
 * one that does nothing is collected soon: a thousand mail apps that have just signed in leave a hundred megabytes behind.
 */
const LOOKS = [
  { everyMs: 5_000, maxUtilization: 0.02 },
  { everyMs: 15_000, maxUtilization: 0.1 },
];
const WORTHWHILE_BYTES = 32 * 1024 * 1024;

/**
 * Collects garbage at once, and whenever the process has been idle for a while and has grown since: a burst of large emails
 * leaves more behind than the whole process takes, and what an idle process has left behind it does not collect by itself.
 * It takes some 30 ms. Without `--expose-gc` nothing happens.
 */
export function releaseMemory(): void {
  let sizeBytes = collect();
  for (const { everyMs, maxUtilization } of LOOKS) {
    let utilization = performance.eventLoopUtilization();
    setInterval(() => {
      const since = performance.eventLoopUtilization(utilization);
      utilization = performance.eventLoopUtilization();
      if (since.utilization > maxUtilization) return;
      if (process.memoryUsage.rss() > sizeBytes + WORTHWHILE_BYTES) sizeBytes = collect();
    }, everyMs).unref();
  }
}

/** @returns the size of the process afterwards */
function collect(): number {
  globalThis.gc?.({ flavor: 'last-resort' });
  return process.memoryUsage.rss();
}
