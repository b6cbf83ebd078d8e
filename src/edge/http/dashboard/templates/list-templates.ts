import { TemplateSummaryList } from '../../../../contract/dashboard/templates.ts';
import { dashboardOperation } from '../operation.ts';

export const listTemplates = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/templates',
  role: 'viewer',
  summary: 'Templates of a project',
  success: { status: 200, description: 'The templates.', body: TemplateSummaryList },
  run: ({ services, projectId }) => services.templatePages.list(projectId),
});
