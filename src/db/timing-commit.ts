import { commits } from '../observe/instruments.ts';

const SECOND_MS = 1_000;

/**
 * Measures a transaction that accepts mail. Most of that time is spent on the disk, which operators see nowhere else. Failed transactions are not
 * measured, because an error or a wait for a lock says nothing about commits.
 */
export async function timingCommit<Result>(write: () => Promise<Result>): Promise<Result> {
  const startedMs = performance.now();
  const result = await write();
  commits.observe((performance.now() - startedMs) / SECOND_MS);
  return result;
}
