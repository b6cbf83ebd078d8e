/** What a client sends of a file, as it comes off the line. */
import { AppError } from '../model/app-error.ts';
import { MIN_PART_BYTES } from './limits.ts';
import type { CollectedPart, PartCollector } from './part-collector.ts';

/** Attack: bytes one by one hold a place for days. The next 256 KiB have to come within this, not counting what they wait for us. */
const SLOW_MS = 60_000;

/** The request ended before its last byte. What has come is right. */
export class BrokenOff extends Error {}

/** So is this one. */
export class TooSlow extends AppError {
  constructor() {
    super('bad-request', 'The bytes come too slowly. What is here already is kept: go on from there.');
  }
}

/** The chunks as they come. When others need the memory, what is collected becomes a part while nothing comes. @throws AppError bad-request: they come too slowly */
export async function* inTurns(
  octets: AsyncIterator<Uint8Array>,
  collector: Pick<PartCollector, 'take' | 'whenWanted'>,
  store: (part: CollectedPart) => Promise<void>,
  nowMs: () => number,
): AsyncGenerator<Uint8Array> {
  let came = 0;
  let waitedMs = 0;
  for (;;) {
    let sinceMs = nowMs();
    const next = octets.next().catch(() => {
      throw new BrokenOff();
    });
    let result: IteratorResult<Uint8Array> | null = null;
    while (result === null) {
      result = await new Promise<IteratorResult<Uint8Array> | null>((resolve, reject) => {
        next.then(resolve, reject);
        collector.whenWanted(() => resolve(null));
      });
      if (result === null) {
        const storedMs = nowMs();
        await store(collector.take());
        // What it waits for our disk is not its fault.
        sinceMs += nowMs() - storedMs;
      }
    }
    if (result.done === true) return;
    came += result.value.length;
    waitedMs += nowMs() - sinceMs;
    if (waitedMs > SLOW_MS) throw new TooSlow();
    if (came >= MIN_PART_BYTES) came = waitedMs = 0;
    yield result.value;
  }
}
