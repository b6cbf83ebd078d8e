import { dashboardOperation } from '../operation.ts';

export const endMemberSessions = dashboardOperation({
  method: 'DELETE',
  path: '/organizations/{organization}/users/{id}/sessions',
  role: 'admin',
  confirms: true,
  resource: { name: 'user in this organisation', prefix: 'usr' },
  summary: 'Sign somebody out everywhere',
  success: {
    status: 204,
    description: 'All of their sessions end within two seconds, but for the one that asks.',
  },
  run: ({ services, principal, id }) => services.organizations.endMemberSessions(principal, id, null),
});
