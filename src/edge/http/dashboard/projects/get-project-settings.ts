import { ProjectSettings } from '../../../../contract/dashboard/projects.ts';
import { dashboardOperation } from '../operation.ts';

export const getProjectSettings = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/settings',
  role: 'viewer',
  summary: 'Get the settings of a project',
  success: { status: 200, description: 'The settings.', body: ProjectSettings },
  run: ({ services, projectId }) => services.projects.settings(projectId),
});
