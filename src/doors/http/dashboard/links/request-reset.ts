import { ACCOUNT_OPERATIONS } from '../../../../accounts/operations.ts';
import { AppError } from '../../../../model/app-error.ts';
import { dashboardRun } from '../operation.ts';
import { clientOf } from '../../browser/client-of.ts';

export const requestReset = dashboardRun(
  ACCOUNT_OPERATIONS.requestReset,
  async ({ services, body, request }) => {
    const { address } = clientOf(request);
    const retryAfterSeconds = await services.parts.accountMail.requestReset({ email: body.email, address });
    if (retryAfterSeconds > 0)
      throw new AppError(
        'rate-limited',
        'Several emails were already sent. Check your inbox, or try again later.',
        {
          retryAfterSeconds,
        },
      );
  },
);
