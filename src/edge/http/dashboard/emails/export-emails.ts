import { ExportEmailsQuery, type LoggedEmail } from '../../../../contract/dashboard/email-log.ts';
import { csvLine } from '../../../../rfc/csv/csv.ts';
import { dashboardOperation } from '../operation.ts';
import { sendExport } from '../send-export.ts';

const COLUMNS = ['id', 'created_at', 'status', 'from', 'to', 'subject', 'tags'] as const;

export const exportEmails = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/emails/export',
  role: 'viewer',
  summary: 'Export the emails of a project that a search finds',
  description:
    'CSV with a line of names, or a JSON object for each line. An export that breaks off was ended by an error, or with the session.',
  query: ExportEmailsQuery,
  success: { status: 200, description: 'A file.', media: 'application/octet-stream' },
  errors: ['validation-failed'],
  run: (call) =>
    sendExport(call, {
      name: 'emails',
      format: call.query.format,
      columns: COLUMNS,
      csvOf,
      open: (isWelcome) => call.services.emailSearch.exporting(call.projectId, call.query.q ?? '', isWelcome),
    }),
});

function csvOf(email: LoggedEmail): string {
  return csvLine(
    COLUMNS.map((name) => {
      const value = email[name];
      return typeof value === 'string' ? value : value.join(', ');
    }),
  );
}
