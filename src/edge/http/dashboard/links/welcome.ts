import { welcome as makeFirstOwner } from '../../../../accounts/use-links.ts';
import { SignInAnswer, Welcome } from '../../../../contract/dashboard/users.ts';
import { dashboardOperation } from '../operation.ts';
import { enter } from '../session/enter.ts';

export const welcome = dashboardOperation({
  method: 'POST',
  path: '/links/welcome',
  role: 'anyone',
  summary: 'Become the first owner',
  description:
    'With the link that the service prints at its start, as long as it has no user. It works once.',
  body: Welcome,
  success: { status: 200, description: 'The user is made, and signed in.', body: SignInAnswer },
  errors: ['not-found'],
  async run(call) {
    const { token, ...owner } = call.body;
    await enter(call, await makeFirstOwner(call.services.parts.database, token, owner));
    return { next: 'done' };
  },
});
