import { dashboardOperation } from '../operation.ts';

/** It takes people away from another project and gives nothing to anybody, so nobody is asked again who they are. */
export const deleteShare = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/shares/{id}',
  role: 'admin',
  resource: { name: 'share', prefix: 'shr' },
  summary: 'Stop sharing the directory with another project',
  success: { status: 204, description: 'The other project does not see it any more.' },
  run: ({ services, projectId, id }) => services.shares.delete(projectId, { id }),
});
