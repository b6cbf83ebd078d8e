import { ACCOUNT_OPERATIONS } from '../../../../accounts/operations.ts';
import { findLocal } from '../../../../mailboxes/local-addresses.ts';
import { acceptInvitation as joinByLink } from '../../../../accounts/use-links.ts';
import { validationError } from '../../../../model/app-error.ts';
import { dashboardRun } from '../operation.ts';
import { sessionTokenOf } from '../cookies.ts';
import { startSession } from '../session/start-session.ts';

export const acceptInvitation = dashboardRun(ACCOUNT_OPERATIONS.acceptInvitation, async (call) => {
  const { token, name, password } = call.body;
  if ((name === undefined) !== (password === undefined))
    throw validationError({ [name === undefined ? 'name' : 'password']: 'is required' });
  const account = name === undefined || password === undefined ? null : { name, password };
  const { services, request, isSecure } = call;
  const session = sessionTokenOf(request, isSecure);
  const signedIn = session === null ? null : await services.signedIn.find(session, {});
  const joined = await joinByLink(
    services.parts.database,
    token,
    account,
    signedIn?.user.userId ?? null,
    async (tx, address) => (await findLocal(tx, address)) !== null,
  );
  if (joined === 'sign-in') return { next: 'sign-in' };
  if (joined !== 'joined') await startSession(call, joined);
  return { next: 'done' };
});
