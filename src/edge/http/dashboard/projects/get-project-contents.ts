import { ProjectContents } from '../../../../contract/dashboard/projects.ts';
import { dashboardOperation } from '../operation.ts';

export const getProjectContents = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/contents',
  role: 'admin',
  confirms: true,
  summary: 'Count what a project has, before it is deleted or exported',
  success: { status: 200, description: 'The numbers.', body: ProjectContents },
  run: ({ services, projectId }) => services.projects.contents(projectId),
});
