/**
 * A service and a browser cost seconds of processor to start, so the test files of a process share them. The first file that
 * needs one starts it. It ends with the process where several files run in it, else when the file releases it.
 */

/** What a file shares with others, until it releases it by disposing. */
interface Lease<Thing> extends AsyncDisposable {
  readonly thing: Thing;
}

/** Things that are shared, and how long they last. */
export class Sharing {
  readonly #ending: (() => Promise<void>)[] = [];
  #isKept = false;

  /** @returns a function that starts the thing when no file has it, and else shares it */
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

  /** Keeps everything that files release, until it is disposed of. */
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

/** What the files of this process share. */
export const SHARED = new Sharing();
