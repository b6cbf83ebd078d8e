import { TIMINGS } from './timings.ts';

/** A process that lived this long did not fail for what it was started with. */
const SOUND_AFTER_MS = 30_000;

/** How long to wait before something that died is started again. */
export class Backoff {
  #deaths = 0;

  nextMs(livedMs: number): number {
    if (livedMs >= SOUND_AFTER_MS) this.#deaths = 0;
    const { restartWaitsMs } = TIMINGS;
    return restartWaitsMs[this.#deaths++] ?? restartWaitsMs.at(-1) ?? 0;
  }
}
