import type { SecondFactors } from './second-factors.ts';
import { AppError } from '../../model/app-error.ts';

/** Finds the user or mailbox that has completed the first step, by the ticket from that step. @throws AppError sign-in-refused */
export async function pendingSignIn<Id>(second: Pick<SecondFactors<Id>, 'openTicket'>, ticket: string) {
  const pending = await second.openTicket(ticket);
  if (pending === null) throw tooLate();
  const { id, passwordHash, by, resetLinkId, finish } = pending;
  return {
    id,
    passwordHash,
    by,
    ...(resetLinkId !== undefined && { resetLinkId }),
    /** @throws AppError sign-in-refused if the ticket has just been used */
    async finish(): Promise<void> {
      if (!(await finish())) throw tooLate();
    },
  };
}

function tooLate(): AppError {
  return new AppError('sign-in-refused', 'This sign-in has expired or was already completed. Sign in again.');
}
