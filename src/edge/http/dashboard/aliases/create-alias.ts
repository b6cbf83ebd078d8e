import { Alias, CreateAlias } from '../../../../contract/aliases.ts';
import { dashboardOperation } from '../operation.ts';

export const createAlias = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/aliases',
  role: 'admin',
  confirms: true,
  summary: 'Make an alias',
  body: CreateAlias,
  success: { status: 201, description: 'The alias.', body: Alias },
  errors: ['already-exists', 'plan-limit-exceeded'],
  run: ({ services, projectId, body }) => services.aliases.create(projectId, body),
});
