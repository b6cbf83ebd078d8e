import { setImmediate } from 'node:timers/promises';

/** How many numbers a slice has. It takes a few milliseconds to process. */
const SLICE = 10_000;

/** Splits a long list into slices, and yields to the event loop between two slices. */
export async function* yieldingSlices(numbers: Uint32Array): AsyncGenerator<Uint32Array, void, void> {
  for (let at = 0; at < numbers.length; at += SLICE) {
    if (at > 0) await setImmediate();
    yield numbers.subarray(at, at + SLICE);
  }
}
