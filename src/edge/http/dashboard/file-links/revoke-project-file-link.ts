import { dashboardOperation } from '../operation.ts';

export const revokeProjectFileLink = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/file-links/{id}',
  role: 'admin',
  resource: { name: 'file link', prefix: 'lnk' },
  summary: 'Revoke a file link of a mailbox',
  success: { status: 204, description: 'Nobody downloads from it any more, and its files are deleted.' },
  run: ({ services, projectId, id }) => services.fileLinks.revoke(projectId, id),
});
