import { SendAgain, SentAgain } from '../../../../contract/dashboard/email.ts';
import { AppError } from '../../../../model/app-error.ts';
import { encodeId, timeOf } from '../../../../model/ids.ts';
import { ObservedAccept } from '../../v1/emails/observed-accept.ts';
import { dashboardOperation } from '../operation.ts';

const PATH = '/projects/{project}/test-email';

export const sendTestEmail = dashboardOperation({
  method: 'POST',
  path: PATH,
  role: 'developer',
  summary: 'Send a test email to oneself',
  description:
    'From the hosted domain to the address of whoever asks, with a text that says what it is. It is an email of the project like any other: plan, suppressions and tracking hold for it.',
  body: SendAgain,
  success: { status: 202, description: 'Queued.', body: SentAgain },
  errors: ['plan-limit-exceeded', 'quota-exceeded'],
  async run({ services, projectId, principal, body, request, logger }) {
    const observed = new ObservedAccept(logger, request, projectId, PATH);
    try {
      const sent = await services.sendTest(projectId, principal.email, body.key, observed.traceParent);
      if (sent === null) throw new AppError('not-found', 'There is no such project.');
      const id = encodeId('em', sent.emailId);
      observed.accepted(id, sent.replayed ? null : 1);
      return { id, created_at: timeOf(sent.emailId).toISOString() };
    } catch (error) {
      observed.failed(error);
      throw error;
    }
  },
});
