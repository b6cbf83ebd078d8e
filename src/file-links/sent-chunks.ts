/** Receives the bytes of a file from a client. */
import type { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { AppError } from '../model/app-error.ts';
import { MIN_PART_BYTES } from './limits.ts';
import type { CollectedPart, PartCollector } from './part-collector.ts';

/**
 * The time within which the next 256 KiB must arrive, not counting our own delays. Attack: a client that sends byte by byte occupies a
 * slot for days.
 */
const SLOW_MS = 60_000;
/** After this many bytes of a file, other uploads get a chance to process theirs. */
const SLICE_BYTES = 256 * 1024;

/** The request ended before its last byte. The bytes received so far are valid. */
export class BrokenOff extends Error {}

/** The bytes arrived too slowly. The bytes received so far are valid. */
export class TooSlow extends AppError {
  constructor() {
    super(
      'bad-request',
      'The upload is too slow. The bytes received so far are stored. Get the current Upload-Offset with HEAD, and continue from there.',
    );
  }
}

interface ChunkConsumer {
  collector: Pick<PartCollector, 'take' | 'whenReclaimed'>;
  /**
   * Adds a chunk to a part. Returns null if that was possible at once. If the call throws or the promise rejects, the upload ends with that
   * error.
   */
  take(chunk: Uint8Array): Promise<void> | null;
  /** Stores the collected bytes as a part, because other uploads need the buffer. */
  store(part: CollectedPart): Promise<void>;
  /** A monotonic clock. */
  nowMs(): number;
}

/**
 * Passes on chunks as they arrive, each after the previous one has been processed. It listens to events instead of iterating over the
 * stream, because the promises of an iteration would be a third of the cost. When the returned promise settles, no work is in progress any
 * more. It does not destroy the stream.
 * @throws BrokenOff; TooSlow
 */
export function consumeChunks(
  octets: Readable,
  { collector, take, store, nowMs }: ChunkConsumer,
): Promise<void> {
  if (octets.destroyed) return Promise.reject(new BrokenOff());
  return new Promise((resolve, reject) => {
    let isAtWork = false;
    let isOver: (() => void) | null = null;
    let sinceMs = nowMs();
    let waitedMs = 0;
    let [received, inSlice] = [0, 0];

    const end = (then: () => void): void => {
      isOver ??= then;
      octets.pause();
      if (isAtWork) return;
      for (const [event, listener] of Object.entries(listeners)) octets.off(event, listener);
      collector.whenReclaimed(() => {});
      isOver();
    };
    const fail = (error: unknown): void => end(() => reject(error));
    /** Pauses reading while the work runs. This time does not count against the client. */
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
      // Report a failure even if the last byte has arrived in the meantime, so that `isOver` is already set.
      isOver = failure ?? isOver;
      if (isOver !== null) return end(isOver);
      offer();
      octets.resume();
    };
    /**
     * Lets other uploads reclaim the collector's buffer. Called after each `waitFor`, because the collector gets a new buffer only there.
     */
    const offer = (): void =>
      collector.whenReclaimed(() => {
        if (!isAtWork) void waitFor(async () => store(collector.take()));
      });
    const listeners = {
      data(chunk: Uint8Array): void {
        if (waitedMs + nowMs() - sinceMs > SLOW_MS) return fail(new TooSlow());
        received += chunk.length;
        inSlice += chunk.length;
        if (received >= MIN_PART_BYTES) {
          received = waitedMs = 0;
          sinceMs = nowMs();
        }
        let work: Promise<void> | null;
        try {
          work = take(chunk);
        } catch (error) {
          return fail(error);
        }
        if (work === null && inSlice >= SLICE_BYTES) work = turn();
        if (work === null) return;
        const begun = work;
        inSlice = 0;
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
