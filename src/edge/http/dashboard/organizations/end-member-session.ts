import { dashboardOperation } from '../operation.ts';

export const endMemberSession = dashboardOperation({
  method: 'DELETE',
  path: '/organizations/{organization}/users/{id}/sessions/{part}',
  role: 'admin',
  confirms: true,
  resource: { name: 'user in this organisation', prefix: 'usr' },
  part: { name: 'session', prefix: 'ses' },
  summary: 'Sign somebody out of one browser',
  success: { status: 204, description: 'The session ends within two seconds.' },
  run: ({ services, principal, id, partId }) =>
    services.organizations.endMemberSessions(principal, id, partId),
});
