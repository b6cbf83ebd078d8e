import { AppError } from '../../../../model/app-error.ts';
import type { DashboardCall } from '../operation.ts';

/** Who is at the second step, by the ticket of the first. @throws AppError sign-in-refused */
export async function waitingFor({ services }: Pick<DashboardCall, 'services'>, ticket: string) {
  const waiting = await services.factors.second.waiting(ticket);
  if (waiting === null) throw tooLate();
  const { proved, finish } = waiting;
  return {
    proved,
    /** @throws AppError sign-in-refused: somebody was faster */
    async finish(): Promise<void> {
      if (!(await finish())) throw tooLate();
    },
  };
}

function tooLate(): AppError {
  return new AppError('sign-in-refused', 'It took too long, or was done already. Sign in again.');
}
