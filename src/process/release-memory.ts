import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Garbage is collected after a minute in an idle process, because a thousand mail apps that have just signed in leave a hundred megabytes of
 * garbage, and after three minutes in a process with little work, so that collections in that process are rare. A busy process must not be
 * paused, so only V8 itself collects garbage there.
 *
 * Shorter waits cost more than they release: the first emails after a collection take a quarter more processor time, because V8 grows its heap and
 * optimizes the code again. A program that sends a burst every minute would pay that for each burst.
 */
const SCHEDULE = [
  { everyMs: 60_000, maxUtilization: 0.02 },
  { everyMs: 180_000, maxUtilization: 0.1 },
];
const WORTHWHILE_BYTES = 32 * 1024 * 1024;

/**
 * Collects garbage now, and later whenever the process has been idle for a while and has grown since the last collection. A burst of large
 * emails leaves more garbage than the whole process needs, and V8 does not collect garbage in an idle process. A collection takes about
 * 30 ms. Without `--expose-gc` this function does nothing.
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

/** Collects the garbage of a start once, in a process that was started without `--expose-gc` and rarely does anything. */
export function releaseStartMemory(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as NonNullable<typeof globalThis.gc>;
  gc({ flavor: 'last-resort' });
}
