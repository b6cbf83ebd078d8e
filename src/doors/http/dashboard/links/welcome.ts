import { ACCOUNT_OPERATIONS } from '../../../../accounts/operations.ts';
import { welcome as makeFirstOwner } from '../../../../accounts/use-links.ts';
import { dashboardRun } from '../operation.ts';
import { startSession } from '../session/start-session.ts';

export const welcome = dashboardRun(ACCOUNT_OPERATIONS.welcome, async (call) => {
  const { token, ...owner } = call.body;
  await startSession(call, await makeFirstOwner(call.services.parts.database, token, owner));
  return { next: 'done' };
});
