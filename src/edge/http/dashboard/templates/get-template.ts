import { TemplateDetail } from '../../../../contract/dashboard/templates.ts';
import { dashboardOperation } from '../operation.ts';
import { TEMPLATE } from './template-resource.ts';

export const getTemplate = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/templates/{id}',
  role: 'viewer',
  resource: TEMPLATE,
  summary: 'A template, with what the user has written and not saved',
  success: { status: 200, description: 'The template.', body: TemplateDetail },
  run: ({ services, projectId, id, principal: { userId } }) =>
    services.templatePages.get({ projectId, templateId: id, userId }),
});
