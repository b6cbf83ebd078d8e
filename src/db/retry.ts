/** Repeats writes that the database did not take at once. */
import { setTimeout } from 'node:timers/promises';
import { sqlState } from './database.ts';

const DEADLOCK = '40P01';
const SERIALIZATION = '40001';
const MAX_TRIES = 5;
/** How long a failed write waits before it is tried again: doubling from the first to the last. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;

/** Runs a transaction again when PostgreSQL broke it off for the sake of another one. @param maxTries in all */
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
 * For what must not be lost while the database is away: writes until it is done, or until `mayRetry` says no, which is asked
 * after a failure and again after the pause that follows it.
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
