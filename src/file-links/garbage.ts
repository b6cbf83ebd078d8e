/**
 * What gigabytes that pass through leave behind: V8 knows little of buffers and nothing of what a machine has, and lets some eighty megabytes of them lie. What is young is
 * collected in a few ms. To collect what is old as well would stop the process for a sixth of a second.
 */
const LOOK_BYTES = 8 * 1024 * 1024;

let passed = 0;

/** @param octets that have passed since the last call. Without `--expose-gc` nothing happens. */
export function collectGarbageOf(octets: number): void {
  passed += octets;
  if (passed < LOOK_BYTES) return;
  passed = 0;
  globalThis.gc?.({ type: 'minor' });
}
