import { SessionList } from '../../../../contract/dashboard/users.ts';
import { dashboardOperation } from '../operation.ts';

export const listMemberSessions = dashboardOperation({
  method: 'GET',
  path: '/organizations/{organization}/users/{id}/sessions',
  role: 'admin',
  resource: { name: 'user in this organisation', prefix: 'usr' },
  summary: 'List where somebody is signed in',
  description: 'Only owners see it of owners.',
  success: { status: 200, description: 'The sessions.', body: SessionList },
  run: ({ services, principal, id }) => services.organizations.memberSessions(principal, id),
});
