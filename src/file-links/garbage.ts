/**
 * A minor garbage collection runs each time that this many bytes of files were handled. Without it, about 80 MB of buffers would stay
 * allocated, because V8 hardly takes memory outside its heap into account. A minor collection takes a few ms; a full one would stop the
 * process for a sixth of a second.
 */
const SCAN_BYTES = 8 * 1024 * 1024;

let passed = 0;

/**
 * Runs a garbage collection if enough bytes were handled since the last one. Does nothing without `--expose-gc`.
 * @param octets how many bytes were read or received since the last call
 */
export function collectGarbageOf(octets: number): void {
  passed += octets;
  if (passed < SCAN_BYTES) return;
  passed = 0;
  globalThis.gc?.({ type: 'minor' });
}
