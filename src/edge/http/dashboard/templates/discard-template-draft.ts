import { dashboardOperation } from '../operation.ts';
import { TEMPLATE } from './template-resource.ts';

export const discardTemplateDraft = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/templates/{id}/draft',
  role: 'developer',
  resource: TEMPLATE,
  summary: 'Forget what the user has written and not saved',
  success: { status: 204, description: 'Forgotten.' },
  run: ({ services, projectId, id, principal: { userId } }) =>
    services.templatePages.discardDraft({ projectId, templateId: id, userId }),
});
