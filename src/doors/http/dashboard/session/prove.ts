import type { ProvedUser } from '../../../../accounts/user-sign-in.ts';
import type { DashboardCall } from '../operation.ts';
import { signInRejected } from './start-session.ts';
import { clientOf } from '../../browser/client-of.ts';
import { tryLater } from '../../browser/try-later.ts';

/** @throws AppError sign-in-refused if the address or password is wrong; rate-limited if there were too many attempts */
export async function prove(
  { services, request }: Pick<DashboardCall, 'services' | 'request'>,
  email: string,
  password: string,
): Promise<ProvedUser> {
  const result = await services.signIn.prove({ email, password, address: clientOf(request).address });
  if (result.outcome === 'refused') throw signInRejected();
  if (result.outcome === 'try-later') throw tryLater(result.afterSeconds);
  return result.proved;
}
