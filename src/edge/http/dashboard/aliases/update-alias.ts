import { Alias, UpdateAlias } from '../../../../contract/aliases.ts';
import { dashboardOperation } from '../operation.ts';

export const updateAlias = dashboardOperation({
  method: 'PATCH',
  path: '/projects/{project}/aliases/{id}',
  role: 'admin',
  confirms: true,
  resource: { name: 'alias', prefix: 'als' },
  summary: 'Change where an alias leads to',
  body: UpdateAlias,
  success: { status: 200, description: 'The alias.', body: Alias },
  run: ({ services, projectId, id, body }) => services.aliases.update(projectId, id, body),
});
