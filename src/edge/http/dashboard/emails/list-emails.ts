import { EmailLog, SearchEmailsQuery } from '../../../../contract/dashboard/email-log.ts';
import { dashboardOperation } from '../operation.ts';

export const listEmails = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/emails',
  role: 'viewer',
  summary: 'Search the emails of a project',
  query: SearchEmailsQuery,
  success: { status: 200, description: 'A page of the log.', body: EmailLog },
  errors: ['validation-failed'],
  run: ({ services, projectId, query }) => services.emailSearch.search(projectId, query),
});
