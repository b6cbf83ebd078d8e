import { RequestReset } from '../../../../contract/dashboard/factors.ts';
import { AppError } from '../../../../model/app-error.ts';
import { dashboardOperation } from '../operation.ts';
import { clientOf } from '../../browser/client-of.ts';

export const requestReset = dashboardOperation({
  method: 'POST',
  path: '/links/reset-request',
  role: 'anyone',
  summary: 'Ask for a mail with a link for another password',
  description: 'The answer is the same, in the same time, whether or not anybody has the address.',
  body: RequestReset,
  success: { status: 202, description: 'If somebody has the address, a mail is on its way.' },
  async run({ services, body, request }) {
    const { address } = clientOf(request);
    const retryAfterSeconds = await services.parts.accountMail.requestReset({ email: body.email, address });
    if (retryAfterSeconds > 0)
      throw new AppError('rate-limited', 'Some mails were sent already. Look for them, or try again later.', {
        retryAfterSeconds,
      });
  },
});
