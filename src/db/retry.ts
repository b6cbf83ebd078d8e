/** Retries writes after a conflict with another transaction, or while the database is unavailable. */
import { setTimeout } from 'node:timers/promises';
import { sqlState } from './database.ts';

const DEADLOCK = '40P01';
const SERIALIZATION = '40001';
const MAX_TRIES = 5;
/** Pauses before the retries of a failed write. The pause doubles from the first value up to the last. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;

/**
 * Repeats a transaction that PostgreSQL aborted because of a conflict with another transaction. @param maxTries the total number of tries
 */
export async function retryingConflicts<T>(transaction: () => Promise<T>, maxTries = MAX_TRIES): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      const state = sqlState(error);
      if ((state !== DEADLOCK && state !== SERIALIZATION) || attempt === maxTries) throw error;
    }
  }
}

/**
 * Retries a write that must not be lost while the database is unavailable, until the write succeeds or `mayRetry` returns false. `mayRetry`
 * is called after each failure and again after the pause that follows.
 */
export async function writeUntilDone(
  write: () => Promise<void>,
  mayRetry: () => boolean,
  onError: (error: unknown) => void,
): Promise<void> {
  for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
    try {
      await write();
      return;
    } catch (error) {
      onError(error);
      if (!mayRetry()) return;
      await setTimeout(waitMs);
      if (!mayRetry()) return;
    }
  }
}
