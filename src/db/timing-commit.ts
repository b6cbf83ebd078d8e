import { commits } from '../observe/instruments.ts';

const SECOND_MS = 1_000;

/**
 * Measures a transaction that accepts mail: its time is that of the disk, which an operator sees nowhere else. One that fails is not
 * measured: it ended in an error or waited for a lock, which says nothing about commits.
 */
export async function timingCommit<Result>(write: () => Promise<Result>): Promise<Result> {
  const startedMs = performance.now();
  const result = await write();
  commits.observe((performance.now() - startedMs) / SECOND_MS);
  return result;
}
