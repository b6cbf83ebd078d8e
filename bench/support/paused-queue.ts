/** A queue that fills while nobody works on it, as that of Postfix does without its queue manager. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadJob, runLoad, type sendEmail } from './load.ts';
import type { Product } from './product.ts';

/** The lease of a worker is 30 s, and its last heartbeat may be 5 s old when it is stopped. */
const MAX_PAUSE_MS = 20_000;
const LOOK_MS = 100;

/**
 * Stops the workers and has `count` emails accepted.
 * @returns lets the workers go on; its result is Date.now() at that moment
 */
export async function fillPausedQueue(
  product: Product,
  target: ReturnType<typeof sendEmail>,
  count: number,
  load: Partial<LoadJob> = {},
): Promise<() => number> {
  const goOn = pauseWorkers(product);
  const { requests } = await runLoad(target, { ...load, maxRequests: count, durationMs: MAX_PAUSE_MS });
  if (requests < count) throw new Error(`only ${requests} of ${count} emails were accepted in time`);
  return goOn;
}

/**
 * Stops the workers, for at most `MAX_PAUSE_MS`.
 * @returns as `fillPausedQueue`
 */
export function pauseWorkers(product: Product): () => number {
  const workers = product.processes().filter(({ command }) => command === 'posthorn: worker');
  if (workers.length === 0) throw new Error('no process is a worker and nothing else: this needs two cores');
  for (const { pid } of workers) process.kill(pid, 'SIGSTOP');
  return () => {
    const atMs = Date.now();
    for (const { pid } of workers) process.kill(pid, 'SIGCONT');
    return atMs;
  };
}

/** Waits until nothing is left to be sent, whatever was handed in before. */
export async function untilDrained(product: Product): Promise<void> {
  while ((await product.query('select 1 from queue limit 1')).length > 0) await sleep(LOOK_MS);
}
