/** Operations on the email log of the dashboard. `run.ts` implements them. */
import {
  CountEmailsQuery,
  EmailCount,
  EmailLog,
  EmailView,
  EmailViewList,
  ExportEmailsQuery,
  SaveEmailView,
  SearchEmailsQuery,
} from '../../contract/dashboard/email-log.ts';
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
  countEmails: declare({
    summary: 'Count the emails of a project that match a search',
    description:
      'Counts up to 10,000 emails, and begins no statement after a second. The answer may be ten seconds old. At least 0 emails: another count of the project is under way.',
    query: CountEmailsQuery,
    success: { status: 200, description: 'The count.', body: EmailCount },
    errors: ['validation-failed'],
    doors: { dashboard: { route: 'GET /projects/{project}/emails/count', role: 'viewer' } },
  }),
  exportEmails: declare({
    summary: 'Export the emails of a project that match a search',
    description:
      'CSV with a header line, or one JSON object per line. A truncated export was ended by an error, or by the end of the session.',
    query: ExportEmailsQuery,
    success: { status: 200, description: 'A file.', media: 'application/octet-stream' },
    errors: ['validation-failed'],
    raw: true,
    doors: { dashboard: { route: 'GET /projects/{project}/emails/export', role: 'viewer' } },
  }),
  listEmailViews: declare({
    summary: 'List the saved searches of the user, and those that everyone in the project sees',
    success: { status: 200, description: 'The saved searches.', body: EmailViewList },
    doors: { dashboard: { route: 'GET /projects/{project}/email-views', role: 'viewer' } },
  }),
  saveEmailView: declare({
    summary: 'Save a search',
    description:
      'Replaces the saved search with the same name. Sharing it with everyone in the project requires the role `developer`.',
    body: SaveEmailView,
    success: { status: 201, description: 'Saved.', body: EmailView },
    errors: ['bad-request'],
    doors: { dashboard: { route: 'POST /projects/{project}/email-views', role: 'viewer' } },
  }),
  deleteEmailView: declare({
    summary: 'Delete a saved search',
    description: 'A shared one requires the role `developer`.',
    success: { status: 204, description: 'Deleted.' },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/email-views/{id}',
        role: 'viewer',
        resource: { name: 'saved search', prefix: 'vw' },
      },
    },
  }),
};
