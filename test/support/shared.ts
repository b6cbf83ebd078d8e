/**
 * Starting a service or a browser costs seconds of processor time, so the test files of a process share one of each. The first file that needs one starts
 * it. In a process with several files, a shared service or browser ends with the process. With a single file, it ends when the file releases it.
 */

/** A shared thing, which the file releases by disposing of the lease. */
interface Lease<Thing> extends AsyncDisposable {
  readonly thing: Thing;
}

/** Starts shared things, and ends them when no file needs them. */
export class Sharing {
  readonly #ending: (() => Promise<void>)[] = [];
  #isKept = false;

  /** @returns a function that starts the thing if no file uses it, and otherwise shares it */
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

  /** Keeps released things alive until the result is disposed of. */
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
