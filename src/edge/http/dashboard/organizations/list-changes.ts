import { ChangeList, ListChanges } from '../../../../contract/dashboard/organizations.ts';
import { dashboardOperation } from '../operation.ts';

export const listChanges = dashboardOperation({
  method: 'GET',
  path: '/organizations/{organization}/changes',
  role: 'admin',
  summary: 'List what was changed, by whom and from where',
  description: 'Kept for 400 days.',
  query: ListChanges,
  success: { status: 200, description: 'A page of the audit log.', body: ChangeList },
  run: ({ services, principal, query }) => services.organizations.changes(principal.organizationId, query),
});
