import { setImmediate } from 'node:timers/promises';

/** Some milliseconds of work for each. */
const AT_A_TIME = 10_000;

/** Parts of a long list, between which others have their turn. */
export async function* inTurns(numbers: Uint32Array): AsyncGenerator<Uint32Array, void, void> {
  for (let at = 0; at < numbers.length; at += AT_A_TIME) {
    if (at > 0) await setImmediate();
    yield numbers.subarray(at, at + AT_A_TIME);
  }
}
