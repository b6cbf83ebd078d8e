import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../model/app-error.ts';
import type { MailNotices } from '../../store/notices.ts';
import { TIMINGS } from './timings.ts';

/** The maximum number of waiting programs. Each occupies a connection, and reads the database when it is woken. */
const MAX_OF_PROJECT = 50;
const MAX_WAITING = 500;

export interface WaitingOptions {
  /** The notices about routes. Null: only the regular checks find messages. */
  notices: Pick<MailNotices, 'subscribe'> | null;
  timings?: typeof TIMINGS;
}

export interface Wait {
  waitMs: number;
  /** Aborts when the client has left. */
  signal: AbortSignal;
  /** Aborts when the process stops. */
  stopping: AbortSignal;
}

/** Programs that wait for the next message of a route. */
export class Waiting {
  readonly #options: WaitingOptions;
  readonly #timings: typeof TIMINGS;
  readonly #ofProjects = new Map<string, number>();
  #count = 0;

  constructor(options: WaitingOptions) {
    this.#options = options;
    this.#timings = options.timings ?? TIMINGS;
  }

  /**
   * Repeats `find` until it finds something, at the latest for `waitMs`.
   * @param find returns null if there is nothing yet
   * @returns null if there was nothing in time, or when the process stops
   * @throws AppError rate-limited if too many programs wait
   */
  async for<Found>(
    { projectId, routeId }: { projectId: string; routeId: string },
    { waitMs, signal, stopping }: Wait,
    find: () => Promise<Found | null>,
  ): Promise<Found | null> {
    // Subscribed before the first read, so that no message is missed between the two.
    let woken = new AbortController();
    using _slot = this.#enter(projectId);
    using _notices = this.#options.notices?.subscribe(routeId, () => woken.abort());
    const end = performance.now() + waitMs;
    for (;;) {
      const found = await find();
      const left = end - performance.now();
      if (found !== null || left <= 0 || stopping.aborted) return found;
      signal.throwIfAborted();
      const either = AbortSignal.any([woken.signal, signal, stopping]);
      await sleep(Math.min(left, this.#timings.pollMs), undefined, { signal: either, ref: false }).catch(
        () => {},
      );
      signal.throwIfAborted();
      woken = new AbortController();
    }
  }

  #enter(projectId: string): Disposable {
    const own = this.#ofProjects.get(projectId) ?? 0;
    if (own >= MAX_OF_PROJECT || this.#count >= MAX_WAITING)
      throw new AppError(
        'rate-limited',
        'Too many requests wait for messages. End some of them, or omit wait.',
        {
          retryAfterSeconds: 5,
        },
      );
    this.#ofProjects.set(projectId, own + 1);
    this.#count += 1;
    return {
      [Symbol.dispose]: () => {
        this.#count -= 1;
        const left = (this.#ofProjects.get(projectId) ?? 1) - 1;
        if (left === 0) this.#ofProjects.delete(projectId);
        else this.#ofProjects.set(projectId, left);
      },
    };
  }
}
