import { SaveTemplateDraft, TemplateTrial } from '../../../../contract/dashboard/templates.ts';
import { dashboardOperation } from '../operation.ts';
import { TEMPLATE } from './template-resource.ts';

export const saveTemplateDraft = dashboardOperation({
  method: 'PUT',
  path: '/projects/{project}/templates/{id}/draft',
  role: 'developer',
  resource: TEMPLATE,
  summary: 'Keep what the user has written of a template, and try it out',
  description: 'It need not be right. Emails are sent by what is saved.',
  body: SaveTemplateDraft,
  success: { status: 200, description: 'What comes of it.', body: TemplateTrial },
  run: ({ services, projectId, id, principal: { userId }, body }) =>
    services.templatePages.saveDraft({ projectId, templateId: id, userId }, body),
});
