/** The worker thread that compares passwords from clients with hashes. */
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { isImported } from './imported-hash.ts';
import { verifyPassword } from './verify-password.ts';
import type { HashVerdict, HashingTask } from './hashing-thread.ts';

/**
 * How much the nice value of this thread is raised, so that a flood of guesses does not slow down accepting mail. For setpriority(2), the
 * id 0 means only this thread.
 */
const BEHIND = 5;
try {
  setPriority(0, Math.min(getPriority(0) + BEHIND, 19));
} catch {
  // The system does not allow a lower priority. The thread then runs at the normal priority.
}

async function judge({ id, password, stored, standIn }: HashingTask): Promise<HashVerdict> {
  try {
    const compared = stored ?? standIn;
    if (compared === null || !isImported(compared)) return { id, isMatch: verifyPassword(password, stored) };
    // Loaded only in installations that have hashes of other systems.
    const { verifyImported } = await import('./verify-imported.ts');
    const isMatch = verifyImported(password, compared);
    return { id, isMatch: isMatch && stored !== null };
  } catch {
    return { id, isMatch: null };
  }
}

parentPort?.on('message', async (task: HashingTask) => parentPort?.postMessage(await judge(task), []));
