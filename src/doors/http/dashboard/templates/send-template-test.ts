import { TEMPLATE_OPERATIONS } from '../../../../templates/operations.ts';
import { AppError } from '../../../../model/app-error.ts';
import { encodeId, timeOf } from '../../../../model/ids.ts';
import { ObservedAccept } from '../../v1/emails/observed-accept.ts';
import { dashboardRun } from '../operation.ts';

const PATH = '/projects/{project}/templates/{id}/test';

export const sendTemplateTest = dashboardRun(
  TEMPLATE_OPERATIONS.sendTemplateTest,
  async ({ services, projectId, id, body, request, logger }) => {
    const observed = new ObservedAccept(logger, request, projectId, PATH);
    try {
      const content = await services.parts.templatePages.filled({ projectId, templateId: id });
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
);
