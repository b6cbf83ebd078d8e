import { dashboardOperation } from '../operation.ts';

export const deleteAlias = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/aliases/{id}',
  role: 'admin',
  confirms: true,
  resource: { name: 'alias', prefix: 'als' },
  summary: 'Delete an alias',
  success: { status: 204, description: 'It is deleted.' },
  run: ({ services, projectId, id }) => services.aliases.delete(projectId, id),
});
