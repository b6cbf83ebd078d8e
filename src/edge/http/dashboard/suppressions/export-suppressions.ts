import { ExportSuppressionsQuery } from '../../../../contract/dashboard/suppressions.ts';
import { SUPPRESSION_COLUMNS, suppressionLine } from '../../../../sending/suppress/suppression-file.ts';
import { dashboardOperation } from '../operation.ts';
import { sendExport } from '../send-export.ts';

export const exportSuppressions = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/suppressions/export',
  role: 'viewer',
  summary: 'Export the addresses that get no more mail',
  description:
    'CSV with a line of names, or a JSON object for each line. An export that breaks off was ended by an error, or with the session.',
  query: ExportSuppressionsQuery,
  success: { status: 200, description: 'A file.', media: 'application/octet-stream' },
  run(call) {
    const { format, ...filters } = call.query;
    return sendExport(call, {
      name: 'suppressions',
      format,
      columns: SUPPRESSION_COLUMNS,
      csvOf: suppressionLine,
      open: (isWelcome) => call.services.suppressionSearch.exporting(call.projectId, filters, isWelcome),
    });
  },
});
