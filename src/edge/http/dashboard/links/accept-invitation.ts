import { findLocal } from '../../../../mailboxes/local-addresses.ts';
import { acceptInvitation as joinByLink } from '../../../../accounts/use-links.ts';
import { AcceptedInvitation, AcceptInvitation } from '../../../../contract/dashboard/users.ts';
import { validationError } from '../../../../model/app-error.ts';
import { dashboardOperation } from '../operation.ts';
import { sessionTokenOf } from '../cookies.ts';
import { enter } from '../session/enter.ts';

export const acceptInvitation = dashboardOperation({
  method: 'POST',
  path: '/links/invitation',
  role: 'anyone',
  summary: 'Join an organisation with a link',
  description: 'Name and password are for those who have no account yet. Who has one is signed in to it.',
  body: AcceptInvitation,
  success: { status: 200, description: 'The user belongs to it.', body: AcceptedInvitation },
  errors: ['not-found', 'missing-role', 'already-exists'],
  async run(call) {
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
    if (joined !== 'joined') await enter(call, joined);
    return { next: 'done' };
  },
});
