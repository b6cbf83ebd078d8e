import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { confirmSession } from '../../../../accounts/sessions.ts';
import { dashboardRun } from '../operation.ts';
import { openIdOf } from '../sign-in/openid-of.ts';

export const finishOpenIdConfirmation = dashboardRun(
  FACTOR_OPERATIONS.finishOpenIdConfirmation,
  async ({ services, principal, body }) => {
    const { ticket, query } = body;
    const returnTo = await openIdOf(services).confirm(ticket, query, principal);
    await confirmSession(services.parts.database, principal, { withOpenid: true });
    return { next: 'done', return_to: returnTo };
  },
);
