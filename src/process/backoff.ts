import { TIMINGS } from './timings.ts';

/** If a process ran for this long before it died, its configuration was not the cause, so the delays start over. */
const SOUND_AFTER_MS = 30_000;

/** Computes how long to wait before a process that died is restarted. */
export class Backoff {
  #deaths = 0;

  nextMs(livedMs: number): number {
    if (livedMs >= SOUND_AFTER_MS) this.#deaths = 0;
    const { restartWaitsMs } = TIMINGS;
    return restartWaitsMs[this.#deaths++] ?? restartWaitsMs.at(-1) ?? 0;
  }
}
