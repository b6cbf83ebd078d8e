import { ReadQueue, type ReadQueueOptions } from './read-queue.ts';

/** How long, in milliseconds, one client's pipelined commands may run before other clients are served. */
const SLICE_MS = 2;
const eachIteration: ReadQueueOptions = { schedule: setImmediate, batchSize: () => 2 };
/** Two queues, so that trusted connections do not wait for untrusted connections. */
const NEXT = { trusted: new ReadQueue(eachIteration), untrusted: new ReadQueue(eachIteration) };

/**
 * Pauses between a client's pipelined commands, so that other clients are served. Attack: one packet contains 8,000 commands that need no
 * I/O. Without pauses, all 8,000 commands would be answered before any other event is handled.
 */
export class CommandPacer {
  #sinceMs = performance.now();

  /** Starts another `SLICE_MS`. Call this after waiting for input, because other clients were served during the wait. */
  begin(): void {
    this.#sinceMs = performance.now();
  }

  get isOver(): boolean {
    return performance.now() - this.#sinceMs > SLICE_MS;
  }

  /** Lets other clients run their commands, then starts another `SLICE_MS`. */
  async pass(isTrusted: boolean): Promise<void> {
    const queue = isTrusted ? NEXT.trusted : NEXT.untrusted;
    await new Promise<void>((resolve) => queue.join(resolve));
    this.begin();
  }
}
