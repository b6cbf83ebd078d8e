import { ACCOUNT_OPERATIONS } from '../../../../accounts/operations.ts';
import { welcome as makeFirstOwner } from '../../../../accounts/use-links.ts';
import { assertNotShared } from '../../../../mailboxes/sharing/sign-in-addresses.ts';
import { dashboardRun } from '../operation.ts';
import { startSession } from '../session/start-session.ts';

export const welcome = dashboardRun(ACCOUNT_OPERATIONS.welcome, async (call) => {
  const { token, ...owner } = call.body;
  const { database } = call.services.parts;
  await startSession(call, await makeFirstOwner(database, token, owner, assertNotShared));
  return { next: 'done' };
});
