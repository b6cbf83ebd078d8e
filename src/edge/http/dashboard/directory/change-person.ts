import { ChangePerson } from '../../../../contract/dashboard/directory.ts';
import { Person } from '../../../../contract/directory.ts';
import { dashboardOperation } from '../operation.ts';

export const changePerson = dashboardOperation({
  method: 'PATCH',
  path: '/projects/{project}/directory/{id}',
  role: 'developer',
  resource: { name: 'person', prefix: 'per' },
  summary: 'Change a person who was added by hand',
  body: ChangePerson,
  success: { status: 200, description: 'The person.', body: Person },
  errors: ['already-exists', 'synced-member-protected'],
  run: ({ services, projectId, id, body }) => services.directory.change(projectId, id, body),
});
