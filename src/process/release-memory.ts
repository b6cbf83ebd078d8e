import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * In an idle process, garbage is collected after a minute, because a thousand mail apps that have just signed in leave a hundred megabytes
 * of it. In a process with little work, it is collected after three minutes, so that collections are rare. A busy process must not be
 * paused, so there it is left to V8.
 *
 * Shorter waits cost more than they release: the first emails after a collection take a quarter more processor time, because V8 grows its
 * heap and optimizes the code again. A program that sends a burst of emails every minute would then slow down each burst.
 */
const SCHEDULE = [
  { everyMs: 60_000, maxUtilization: 0.02 },
  { everyMs: 180_000, maxUtilization: 0.1 },
];
const WORTHWHILE_BYTES = 32 * 1024 * 1024;

/**
 * Collects garbage now, and later whenever the process has been idle for a while and has grown since the last collection. A burst of large
 * emails leaves garbage that takes more memory than the rest of the process, and V8 does not collect it while the process is idle. A
 * collection takes about 30 ms. Without `--expose-gc` this function does nothing.
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

/** Collects once the garbage that starting left. For a process that was started without `--expose-gc` and rarely does anything. */
export function releaseStartMemory(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as NonNullable<typeof globalThis.gc>;
  gc({ flavor: 'last-resort' });
}
