/**
 * Frees the memory of gigabytes that pass through. V8 barely accounts for buffers and does not know the machine's memory, so it would leave about eighty
 * megabytes of them. A minor collection takes a few ms. A full one would stop the process for a sixth of a second.
 */
const SCAN_BYTES = 8 * 1024 * 1024;

let passed = 0;

/** @param octets that have passed since the last call. Does nothing without `--expose-gc`. */
export function collectGarbageOf(octets: number): void {
  passed += octets;
  if (passed < SCAN_BYTES) return;
  passed = 0;
  globalThis.gc?.({ type: 'minor' });
}
