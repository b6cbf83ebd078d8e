import { TemplateVersionList } from '../../../../contract/dashboard/templates.ts';
import { dashboardOperation } from '../operation.ts';
import { TEMPLATE } from './template-resource.ts';

export const listTemplateVersions = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/templates/{id}/versions',
  role: 'viewer',
  resource: TEMPLATE,
  summary: 'What was saved of a template: when, and by whom',
  success: { status: 200, description: 'The versions.', body: TemplateVersionList },
  run: ({ services, projectId, id }) => services.templatePages.versions(projectId, id),
});
