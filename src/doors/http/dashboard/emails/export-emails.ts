import { EMAIL_SEARCH_OPERATIONS } from '../../../../insights/search/operations.ts';
import { type LoggedEmail } from '../../../../contract/dashboard/email-log.ts';
import { csvLine } from '../../../../rfc/csv/csv.ts';
import { dashboardRun } from '../operation.ts';
import { sendExport } from '../send-export.ts';

const COLUMNS = ['id', 'created_at', 'status', 'from', 'to', 'subject', 'tags'] as const;

export const exportEmails = dashboardRun(EMAIL_SEARCH_OPERATIONS.exportEmails, (call) =>
  sendExport(call, {
    name: 'emails',
    format: call.query.format,
    columns: COLUMNS,
    csvOf,
    open: (assertMayContinue) =>
      call.services.parts.emailSearch.exporting(call.projectId, call.query.q ?? '', assertMayContinue),
  }),
);

function csvOf(email: LoggedEmail): string {
  return csvLine(
    COLUMNS.map((name) => {
      const value = email[name];
      return typeof value === 'string' ? value : value.join(', ');
    }),
  );
}
