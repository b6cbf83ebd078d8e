/** The worker thread that checks passwords sent by clients. */
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { verifyPassword } from './verify-password.ts';
import type { HashVerdict, HashingTask } from './hashing-thread.ts';

/** Lowers the priority so that a flood of guesses does not take the processor from accepting mail. In setpriority(2), 0 means this thread only. */
const BEHIND = 5;
try {
  setPriority(0, Math.min(getPriority(0) + BEHIND, 19));
} catch {
  // The system does not allow a lower priority. The thread then runs at the normal one.
}

function judge({ id, password, phc }: HashingTask): HashVerdict {
  try {
    return { id, fits: verifyPassword(password, phc) };
  } catch {
    return { id, fits: null };
  }
}

parentPort?.on('message', (task: HashingTask) => parentPort?.postMessage(judge(task), []));
