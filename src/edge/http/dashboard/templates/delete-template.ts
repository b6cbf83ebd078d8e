import { dashboardOperation } from '../operation.ts';
import { TEMPLATE } from './template-resource.ts';

export const deleteTemplate = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/templates/{id}',
  role: 'developer',
  resource: TEMPLATE,
  summary: 'Delete a template, with its history',
  success: { status: 204, description: 'Deleted.' },
  run: ({ services, projectId, id }) => services.templatePages.delete(projectId, id),
});
