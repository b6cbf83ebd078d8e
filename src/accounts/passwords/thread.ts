/** The worker thread that compares passwords from clients with hashes. */
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
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

function judge({ id, password, phc }: HashingTask): HashVerdict {
  try {
    return { id, isMatch: verifyPassword(password, phc) };
  } catch {
    return { id, isMatch: null };
  }
}

parentPort?.on('message', (task: HashingTask) => parentPort?.postMessage(judge(task), []));
