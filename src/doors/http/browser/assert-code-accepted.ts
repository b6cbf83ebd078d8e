import type { CodeResult } from '../../../accounts/factors/second-factors.ts';
import { AppError } from '../../../model/app-error.ts';
import { tryLater } from './try-later.ts';

/** @throws AppError sign-in-refused if the code is wrong or used; rate-limited if there were too many attempts */
export function assertCodeAccepted(result: CodeResult): void {
  if (result.outcome === 'try-later') throw tryLater(result.afterSeconds);
  if (result.outcome === 'refused')
    throw new AppError('sign-in-refused', 'The code is wrong or was already used. Wait for the next one.');
}
