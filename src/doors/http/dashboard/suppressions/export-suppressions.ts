import { SUPPRESSION_OPERATIONS } from '../../../../sending/suppress/operations.ts';
import { SUPPRESSION_COLUMNS, suppressionLine } from '../../../../sending/suppress/suppression-file.ts';
import { dashboardRun } from '../operation.ts';
import { sendExport } from '../send-export.ts';

export const exportSuppressions = dashboardRun(SUPPRESSION_OPERATIONS.exportSuppressions, (call) => {
  const { format, ...filters } = call.query;
  return sendExport(call, {
    name: 'suppressions',
    format,
    columns: SUPPRESSION_COLUMNS,
    csvOf: suppressionLine,
    open: (assertMayContinue) =>
      call.services.parts.suppressionSearch.exporting(call.projectId, filters, assertMayContinue),
  });
});
