import { SendAgain, SentAgain } from '../../../../contract/dashboard/email.ts';
import { AppError } from '../../../../model/app-error.ts';
import { encodeId, timeOf } from '../../../../model/ids.ts';
import { ObservedAccept } from '../../v1/emails/observed-accept.ts';
import { dashboardOperation } from '../operation.ts';

const PATH = '/projects/{project}/emails/{id}/send-again';

export const sendEmailAgain = dashboardOperation({
  method: 'POST',
  path: PATH,
  role: 'developer',
  resource: { name: 'email', prefix: 'em' },
  summary: 'Send what an email said once more, as a new email',
  description:
    'To the same recipients, by the rules of today: verified domain, suppressions, plan and tracking. Opens and clicks of the new email are counted apart.',
  body: SendAgain,
  success: { status: 202, description: 'Queued.', body: SentAgain },
  errors: ['domain-not-verified', 'plan-limit-exceeded', 'quota-exceeded'],
  async run({ services, projectId, id, body, request, logger }) {
    const observed = new ObservedAccept(logger, request, projectId, PATH);
    try {
      const sent = await services.sendAgain(projectId, id, body.key, observed.traceParent);
      if (sent === null) throw new AppError('not-found', 'There is no such email.');
      const newId = encodeId('em', sent.emailId);
      observed.accepted(newId, sent.replayed ? null : sent.addresses);
      return { id: newId, created_at: timeOf(sent.emailId).toISOString() };
    } catch (error) {
      observed.failed(error);
      throw error;
    }
  },
});
