/** Lived for this long, a process did not fail for what it was started with. */
const SOUND_AFTER_MS = 30_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** How long to wait before something that died is started again: not at all, then 0.5 s, doubling to 10 s. */
export class Backoff {
  #deaths = 0;

  nextMs(livedMs: number): number {
    if (livedMs >= SOUND_AFTER_MS) this.#deaths = 0;
    const deaths = this.#deaths++;
    return deaths === 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (deaths - 1));
  }
}
