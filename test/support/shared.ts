/**
 * Starting a service or a browser costs seconds of processor time, so the test files of a process share one service and one browser. The
 * first file that needs a service starts it. In a process with several files, the shared service and browser end with the
 * process; in a process with a single file, they end when the file releases them.
 */

/** A lease of a shared thing. A test file releases the thing by disposing of the lease. */
interface Lease<Thing> extends AsyncDisposable {
  readonly thing: Thing;
}

/** Starts shared things and ends a thing when no file has a lease on the thing. */
export class Sharing {
  readonly #ending: (() => Promise<void>)[] = [];
  #isKept = false;

  /** @returns a function that leases the thing. It starts the thing if no file has a lease */
  share<Thing extends AsyncDisposable>(start: () => Promise<Thing>): () => Promise<Lease<Thing>> {
    let started: Promise<Thing> | undefined;
    let users = 0;
    const end = async () => {
      const ended = started;
      started = undefined;
      await (await ended)?.[Symbol.asyncDispose]();
    };
    this.#ending.push(end);
    return async () => {
      users += 1;
      started ??= start();
      try {
        const thing = await started;
        const release = async () => {
          users -= 1;
          if (users === 0 && !this.#isKept) await end();
        };
        return { thing, [Symbol.asyncDispose]: release };
      } catch (error) {
        users -= 1;
        started = undefined;
        throw error;
      }
    };
  }

  /** Keeps things alive after their leases, until the result is disposed of. */
  keep(): AsyncDisposable {
    this.#isKept = true;
    return {
      [Symbol.asyncDispose]: async () => {
        this.#isKept = false;
        for (const end of this.#ending) await end();
      },
    };
  }
}

/** Things shared by the files of this process. */
export const SHARED = new Sharing();
