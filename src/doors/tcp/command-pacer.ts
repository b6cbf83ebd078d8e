import { ReadQueue, type ReadQueueOptions } from './read-queue.ts';

/** Time for the pipelined commands of one client before other clients are served. */
const SLICE_MS = 2;
const eachIteration: ReadQueueOptions = { schedule: setImmediate, batchSize: () => 2 };
/** Two queues, so that signed-in clients do not wait for others. */
const NEXT = { ofTrusted: new ReadQueue(eachIteration), ofOthers: new ReadQueue(eachIteration) };

/**
 * Serves other clients between pipelined commands. Attack: 8,000 commands in one packet whose replies need no I/O. Without a pause, all of
 * them would be answered before any other event is handled.
 */
export class CommandPacer {
  #sinceMs = performance.now();

  /** Starts a new slice. Call this after waiting for input, because others were served during the wait. */
  begin(): void {
    this.#sinceMs = performance.now();
  }

  get isOver(): boolean {
    return performance.now() - this.#sinceMs > SLICE_MS;
  }

  /** Waits for the client's next slice. */
  async pass(isTrusted: boolean): Promise<void> {
    const queue = isTrusted ? NEXT.ofTrusted : NEXT.ofOthers;
    await new Promise<void>((resolve) => queue.join(resolve));
    this.begin();
  }
}
