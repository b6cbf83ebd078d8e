import { unavailable } from '../model/app-error.ts';
import { PiecesChanged } from './save-template.ts';

const MAX_TRIES = 3;

/**
 * Repeats work that checks templates outside a transaction and writes the result inside one, until no piece has changed between the two.
 * @throws AppError unavailable
 */
export async function withUnchangedPieces<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PiecesChanged)) throw error;
    }
  }
  throw unavailable('The layouts and partials are being changed by other users. Try again in a few seconds.');
}
