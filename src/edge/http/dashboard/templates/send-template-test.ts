import { SendTemplateTest, SentTemplateTest } from '../../../../contract/dashboard/templates.ts';
import { AppError } from '../../../../model/app-error.ts';
import { encodeId, timeOf } from '../../../../model/ids.ts';
import { ObservedAccept } from '../../v1/emails/observed-accept.ts';
import { dashboardOperation } from '../operation.ts';

const PATH = '/projects/{project}/templates/{id}/test';

export const sendTemplateTest = dashboardOperation({
  method: 'POST',
  path: PATH,
  role: 'developer',
  resource: { name: 'template', prefix: 'tpl' },
  summary: 'Send what the user has written to one address, filled in with the sample data',
  description: 'By the rules of every email: verified domain, suppressions, plan and tracking.',
  body: SendTemplateTest,
  success: { status: 202, description: 'Queued.', body: SentTemplateTest },
  errors: ['domain-not-verified', 'plan-limit-exceeded', 'quota-exceeded'],
  async run({ services, projectId, id, principal: { userId }, body, request, logger }) {
    const observed = new ObservedAccept(logger, request, projectId, PATH);
    try {
      const content = await services.templatePages.filled({ projectId, templateId: id, userId });
      if (content === null) throw new AppError('not-found', 'There is no such template.');
      const { traceParent } = observed;
      const sent = await services.sendTemplateTest(projectId, content, { ...body, traceParent });
      const emailId = encodeId('em', sent.emailId);
      observed.accepted(emailId, sent.replayed ? null : 1);
      return { id: emailId, status: 'queued', created_at: timeOf(sent.emailId).toISOString() };
    } catch (error) {
      observed.failed(error);
      throw error;
    }
  },
});
