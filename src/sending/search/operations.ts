/** Operations on the email log of the dashboard. `run.ts` implements them. */
import { EmailLog, SearchEmailsQuery } from '../../contract/dashboard/email-log.ts';
import { declare } from '../../contract/operation.ts';

export const EMAIL_SEARCH_OPERATIONS = {
  searchEmails: declare({
    summary: 'Search the emails of a project',
    query: SearchEmailsQuery,
    success: { status: 200, description: 'A page of the log.', body: EmailLog },
    errors: ['validation-failed'],
    doors: {
      dashboard: { id: 'listEmails', route: 'GET /projects/{project}/emails', role: 'viewer' },
    },
  }),
};
