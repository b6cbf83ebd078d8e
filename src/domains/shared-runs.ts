/**
 * Allows one run per key at a time. All calls that are made during a run share the next run. Because that run starts after these calls, it
 * sees every change that the callers made before they called.
 */
export class SharedRuns<T> {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #next = new Map<string, Promise<T>>();

  run(key: string, work: () => Promise<T>): Promise<T> {
    const waiting = this.#next.get(key);
    if (waiting !== undefined) return waiting;
    const running = this.#running.get(key);
    if (running === undefined) return this.#start(key, work);
    const next = running.then(() => {
      this.#next.delete(key);
      return this.#start(key, work);
    });
    this.#next.set(key, next);
    return next;
  }

  #start(key: string, work: () => Promise<T>): Promise<T> {
    const run = work();
    // `ended` never rejects. An error is for the callers of this run; those of the next run only wait until this one has ended.
    const ended: Promise<void> = run.then(
      () => this.#end(key, ended),
      () => this.#end(key, ended),
    );
    this.#running.set(key, ended);
    return run;
  }

  #end(key: string, ended: Promise<unknown>): void {
    if (this.#running.get(key) === ended) this.#running.delete(key);
  }
}
