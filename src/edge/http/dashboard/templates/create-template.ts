import { CreatedTemplate, SaveTemplate } from '../../../../contract/dashboard/templates.ts';
import { dashboardOperation } from '../operation.ts';

export const createTemplate = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/templates',
  role: 'developer',
  summary: 'Make a template',
  body: SaveTemplate,
  success: { status: 201, description: 'Made.', body: CreatedTemplate },
  errors: ['already-exists', 'plan-limit-exceeded'],
  run: ({ services, projectId, body }) => services.templatePages.create(projectId, body),
});
