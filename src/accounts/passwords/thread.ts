/** The thread that hashes what clients send as passwords. */
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { verifyPassword } from './verify-password.ts';
import type { HashVerdict, HashingTask } from './hashing-thread.ts';

/** A flood of guesses must not take the processor from who accepts mail: 0 means this thread alone (setpriority(2)). */
const BEHIND = 5;
try {
  setPriority(0, Math.min(getPriority(0) + BEHIND, 19));
} catch {
  // The system does not let it: then it is like every other thread.
}

function judge({ id, password, phc }: HashingTask): HashVerdict {
  try {
    return { id, fits: verifyPassword(password, phc) };
  } catch {
    return { id, fits: null };
  }
}

parentPort?.on('message', (question: HashingTask) => parentPort?.postMessage(judge(question), []));
