/**
 * What gigabytes that pass through leave behind. V8 knows little of buffers and nothing of what a machine has: it lets eighty megabytes lie before it looks at what
 * is old. To collect it all takes some 50 ms, so it is done when it is worth it, and not soon again.
 */
const LOOK_BYTES = 512 * 1024 * 1024;
const WORTHWHILE_BYTES = 24 * 1024 * 1024;

/** Of the process after the last time. */
let sizeBytes: number | null = null;
let passed = 0;

/** @param octets that have passed since the last call. Without `--expose-gc` nothing happens. */
export function collectGarbageOf(octets: number): void {
  sizeBytes ??= process.memoryUsage.rss();
  passed += octets;
  if (passed < LOOK_BYTES) return;
  passed = 0;
  if (process.memoryUsage.rss() < sizeBytes + WORTHWHILE_BYTES) return;
  globalThis.gc?.({ flavor: 'last-resort' });
  sizeBytes = process.memoryUsage.rss();
}
