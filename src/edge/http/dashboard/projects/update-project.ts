import { RenameProject } from '../../../../contract/dashboard/organizations.ts';
import { dashboardOperation } from '../operation.ts';

export const updateProject = dashboardOperation({
  method: 'PATCH',
  path: '/projects/{project}',
  role: 'admin',
  summary: 'Rename a project',
  body: RenameProject,
  success: { status: 204, description: 'It is renamed.' },
  errors: ['already-exists'],
  run: ({ services, projectId, body }) => services.organizations.renameProject(projectId, body.name),
});
