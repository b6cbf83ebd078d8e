import { ComposeEmail, SentAgain } from '../../../../contract/dashboard/email.ts';
import { encodeId, timeOf } from '../../../../model/ids.ts';
import { ObservedAccept } from '../../v1/emails/observed-accept.ts';
import { addressesIn } from '../../v1/emails/queued-email.ts';
import { dashboardOperation } from '../operation.ts';

const PATH = '/projects/{project}/emails';

export const composeEmail = dashboardOperation({
  method: 'POST',
  path: PATH,
  role: 'developer',
  confirms: true,
  summary: 'Send an email that somebody wrote here',
  description: 'As sendEmail of the API, with the rights of an API key that has full access.',
  body: ComposeEmail,
  success: { status: 202, description: 'Queued.', body: SentAgain },
  errors: ['domain-not-verified', 'idempotency-key-reused', 'plan-limit-exceeded', 'quota-exceeded'],
  async run({ services, projectId, body: { key, ...email }, request, logger }) {
    const observed = new ObservedAccept(logger, request, projectId, PATH);
    try {
      const sent = await services.sendComposed(projectId, email, key, observed.traceParent);
      const id = encodeId('em', sent.emailId);
      observed.accepted(id, sent.replayed ? null : addressesIn(email));
      return { id, created_at: timeOf(sent.emailId).toISOString() };
    } catch (error) {
      observed.failed(error);
      throw error;
    }
  },
});
