/**
 * What gigabytes that pass through leave behind. V8 knows little of buffers and nothing of what a machine has: it lets eighty megabytes lie before it looks at what
 * is old. To collect it all takes some 40 ms, at full speed once in ten seconds.
 */
const LOOK_BYTES = 128 * 1024 * 1024;
const WORTHWHILE_BYTES = 20 * 1024 * 1024;
/** Where requests make most of the garbage it would be back at once. */
const REST_MS = 5_000;

/** Of the process after the last time. */
let sizeBytes: number | null = null;
let collectedMs = 0;
let passed = 0;

/** @param octets that have passed since the last call. Without `--expose-gc` nothing happens. */
export function collectGarbageOf(octets: number): void {
  sizeBytes ??= process.memoryUsage.rss();
  passed += octets;
  if (passed < LOOK_BYTES) return;
  passed = 0;
  if (performance.now() < collectedMs + REST_MS) return;
  if (process.memoryUsage.rss() < sizeBytes + WORTHWHILE_BYTES) return;
  globalThis.gc?.({ flavor: 'last-resort' });
  sizeBytes = process.memoryUsage.rss();
  collectedMs = performance.now();
}
