/**
 * The number of file bytes after which a minor garbage collection runs. V8 barely accounts for buffers and does not know the
 * machine's memory, so about 80 MB of buffers would stay allocated. A minor collection takes a few ms; a full collection would stop the
 * process for a sixth of a second.
 */
const SCAN_BYTES = 8 * 1024 * 1024;

let passed = 0;

/**
 * Runs a garbage collection if enough bytes were handled. Does nothing without `--expose-gc`. @param octets the bytes that were read or
 * received since the last call
 */
export function collectGarbageOf(octets: number): void {
  passed += octets;
  if (passed < SCAN_BYTES) return;
  passed = 0;
  globalThis.gc?.({ type: 'minor' });
}
