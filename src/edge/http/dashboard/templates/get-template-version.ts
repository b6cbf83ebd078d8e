import { TemplateVersion } from '../../../../contract/dashboard/templates.ts';
import { dashboardOperation } from '../operation.ts';
import { TEMPLATE, VERSION } from './template-resource.ts';

export const getTemplateVersion = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/templates/{id}/versions/{part}',
  role: 'viewer',
  resource: TEMPLATE,
  part: VERSION,
  summary: 'What a template said once',
  success: { status: 200, description: 'The version.', body: TemplateVersion },
  run: ({ services, projectId, id, partId }) => services.templatePages.version(projectId, id, partId),
});
