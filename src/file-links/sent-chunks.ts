/** What a client sends of a file, as it comes off the line. */
import type { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { AppError } from '../model/app-error.ts';
import { MIN_PART_BYTES } from './limits.ts';
import type { CollectedPart, PartCollector } from './part-collector.ts';

/** Attack: bytes one by one hold a place for days. The next 256 KiB have to come within this, not counting what they wait for us. */
const SLOW_MS = 60_000;
/** After so much of a file it is the turn of others. */
const TURN_BYTES = 256 * 1024;

/** The request ended before its last byte. What has come is right. */
export class BrokenOff extends Error {}

/** So is this one. */
export class TooSlow extends AppError {
  constructor() {
    super('bad-request', 'The bytes come too slowly. What is here already is kept: go on from there.');
  }
}

interface Taker {
  collector: Pick<PartCollector, 'take' | 'whenWanted'>;
  /** Null: it has taken the chunk. What it throws, or the promise does, ends all. */
  take(chunk: Uint8Array): Promise<void> | null;
  /** When others need the memory, what is collected becomes a part while nothing comes. */
  store(part: CollectedPart): Promise<void>;
  /** Of a clock that never goes back. */
  nowMs(): number;
}

/**
 * Takes the chunks as they come, and the next one once the last one is taken. By events: a promise or two for each chunk are a third of what it costs.
 * Nothing is at work any more when it ends, and the stream is not destroyed.
 * @throws BrokenOff; AppError bad-request: they come too slowly
 */
export function takeChunks(octets: Readable, { collector, take, store, nowMs }: Taker): Promise<void> {
  if (octets.destroyed) return Promise.reject(new BrokenOff());
  return new Promise((resolve, reject) => {
    let isAtWork = false;
    let isOver: (() => void) | null = null;
    let sinceMs = nowMs();
    let waitedMs = 0;
    let [came, inTurn] = [0, 0];

    const end = (then: () => void): void => {
      isOver ??= then;
      octets.pause();
      if (isAtWork) return;
      for (const [event, listener] of Object.entries(listeners)) octets.off(event, listener);
      collector.whenWanted(() => {});
      isOver();
    };
    const fail = (error: unknown): void => end(() => reject(error));
    /** Nothing is read meanwhile, and what it takes is not the fault of the line. */
    const waitFor = async (work: () => Promise<void>): Promise<void> => {
      isAtWork = true;
      waitedMs += nowMs() - sinceMs;
      octets.pause();
      const failure = await work().then(
        () => null,
        (error: unknown) => () => reject(error),
      );
      isAtWork = false;
      sinceMs = nowMs();
      // The last byte may have come meanwhile: what failed is told all the same.
      isOver = failure ?? isOver;
      if (isOver !== null) return end(isOver);
      offer();
      octets.resume();
    };
    /** The memory that it has now: it gets more within what is waited for, and nowhere else. */
    const offer = (): void =>
      collector.whenWanted(() => {
        if (!isAtWork) void waitFor(async () => store(collector.take()));
      });
    const listeners = {
      data(chunk: Uint8Array): void {
        if (waitedMs + nowMs() - sinceMs > SLOW_MS) return fail(new TooSlow());
        came += chunk.length;
        inTurn += chunk.length;
        if (came >= MIN_PART_BYTES) {
          came = waitedMs = 0;
          sinceMs = nowMs();
        }
        let work: Promise<void> | null;
        try {
          work = take(chunk);
        } catch (error) {
          return fail(error);
        }
        if (work === null && inTurn >= TURN_BYTES) work = turn();
        if (work === null) return;
        const begun = work;
        inTurn = 0;
        void waitFor(() => begun);
      },
      end: () => end(resolve),
      error: () => fail(new BrokenOff()),
      close: () => fail(new BrokenOff()),
    };
    for (const [event, listener] of Object.entries(listeners)) octets.on(event, listener);
    octets.resume();
  });
}
