import { TemplateDetail, UpdateTemplate } from '../../../../contract/dashboard/templates.ts';
import { dashboardOperation } from '../operation.ts';
import { TEMPLATE } from './template-resource.ts';

export const updateTemplate = dashboardOperation({
  method: 'PUT',
  path: '/projects/{project}/templates/{id}',
  role: 'developer',
  resource: TEMPLATE,
  summary: 'Save a template',
  description:
    'As a new version. Emails are sent by it from now on, and what the user had written before is done with.',
  body: UpdateTemplate,
  success: { status: 200, description: 'The template.', body: TemplateDetail },
  errors: ['already-exists', 'plan-limit-exceeded'],
  run: ({ services, projectId, id, principal: { userId }, body }) =>
    services.templatePages.update({ projectId, templateId: id, userId }, body),
});
