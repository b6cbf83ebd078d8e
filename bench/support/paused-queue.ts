/**
 * Fills the queue while the workers are suspended. The comparison with Postfix does the same by running Postfix without its queue manager.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadJob, runLoad, type sendEmail } from './load.ts';
import type { Product } from './product.ts';

/** The maximum pause. A worker's lease lasts 30 s, and the worker's last heartbeat may be 5 s old when the worker is suspended. */
export const MAX_PAUSE_MS = 20_000;
const POLL_MS = 100;
const DRAIN_TIMEOUT_MS = 180_000;

/**
 * Suspends the workers and sends `count` emails to the API.
 * @returns a function that resumes the workers and returns `Date.now()` at that moment
 */
export async function fillPausedQueue(
  product: Product,
  target: ReturnType<typeof sendEmail>,
  count: number,
  load: Partial<LoadJob> = {},
): Promise<() => number> {
  const resume = pauseWorkers(product);
  const { requests } = await runLoad(target, { ...load, maxRequests: count, durationMs: MAX_PAUSE_MS });
  if (requests < count) throw new Error(`Only ${requests} of ${count} emails were accepted in time`);
  return resume;
}

/**
 * Suspends the workers, for at most `MAX_PAUSE_MS`.
 * @returns a function that resumes the workers and returns `Date.now()` at that moment
 */
export function pauseWorkers(product: Product): () => number {
  const workers = product.processes().filter(({ command }) => command === 'posthorn: worker');
  if (workers.length === 0)
    throw new Error('No process is only a worker. Run this on a machine with two cores or more');
  for (const { pid } of workers) process.kill(pid, 'SIGSTOP');
  return () => {
    const atMs = Date.now();
    for (const { pid } of workers) process.kill(pid, 'SIGCONT');
    return atMs;
  };
}

/** Waits until the queue is empty. @throws Error after the time-out */
export async function untilDrained(product: Product, timeoutMs = DRAIN_TIMEOUT_MS): Promise<void> {
  for (const until = Date.now() + timeoutMs; await hasQueued(product); await sleep(POLL_MS))
    if (Date.now() > until) throw new Error('The queue did not become empty');
}

async function hasQueued(product: Product): Promise<boolean> {
  return (await product.query('select 1 from queue limit 1')).length > 0;
}
