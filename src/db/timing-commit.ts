import { commits } from '../observe/instruments.ts';

const SECOND_MS = 1_000;

/**
 * Measures how long a transaction that accepts mail takes. Most of this time is spent on the disk, and no other metric shows it. Failed
 * transactions are not measured, because an error or a wait for a lock says nothing about commits.
 */
export async function timingCommit<Result>(write: () => Promise<Result>): Promise<Result> {
  const startedMs = performance.now();
  const result = await write();
  commits.observe((performance.now() - startedMs) / SECOND_MS);
  return result;
}
