import { sqlState } from './database.ts';

const DEADLOCK = '40P01';
const SERIALIZATION = '40001';
const TRIES = 5;

/** Runs a transaction again, up to five times in all, that PostgreSQL broke off for the sake of another one. */
export async function retryingConflicts<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      const state = sqlState(error);
      if ((state !== DEADLOCK && state !== SERIALIZATION) || attempt === TRIES) throw error;
    }
  }
}
