import { clientOf } from '../../browser/client-of.ts';
import { tryLater } from '../../browser/try-later.ts';
import { AppError } from '../../../../model/app-error.ts';
import type { MailCall } from '../operation.ts';

/** Checks the password of the call's mailbox. @returns the password's hash @throws AppError sign-in-refused, rate-limited */
export async function proveOwnPassword(
  { services, mailbox, session, request }: Pick<MailCall, 'services' | 'mailbox' | 'session' | 'request'>,
  password: string,
): Promise<string> {
  const proof = await services.signIn.prove(session.address, password, clientOf(request).address);
  if (proof.outcome === 'try-later') throw tryLater(proof.afterSeconds);
  // The password may be that of another mailbox: while no claim to the domain is verified, another project may have the same address.
  if (proof.outcome === 'refused' || proof.account.mailboxId !== mailbox.mailboxId)
    throw new AppError('sign-in-refused', 'The password is wrong.');
  return proof.passwordHash;
}
