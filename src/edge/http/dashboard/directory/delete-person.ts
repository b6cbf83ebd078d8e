import { dashboardOperation } from '../operation.ts';

export const deletePerson = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/directory/{id}',
  role: 'developer',
  resource: { name: 'person', prefix: 'per' },
  summary: 'Delete a person who was added by hand',
  success: { status: 204, description: 'Deleted.' },
  errors: ['synced-member-protected'],
  run: ({ services, projectId, id }) => services.directory.remove(projectId, id),
});
