import { CreatePerson, Person } from '../../../../contract/directory.ts';
import { dashboardOperation } from '../operation.ts';

export const createPerson = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/directory',
  role: 'developer',
  summary: 'Add a person to the directory',
  body: CreatePerson,
  success: { status: 201, description: 'The person.', body: Person },
  errors: ['already-exists', 'plan-limit-exceeded'],
  run: ({ services, projectId, body }) => services.directory.add(projectId, body),
});
