import { RETENTION_OPERATIONS } from '../../../../retention/operations.ts';
import { dashboardRun } from '../operation.ts';
import { sendExport } from '../send-export.ts';

export const exportProject = dashboardRun(RETENTION_OPERATIONS.exportProject, (call) =>
  sendExport(call, {
    name: 'export',
    format: 'ndjson',
    columns: [],
    csvOf: () => '',
    scope: { projectId: call.projectId },
    role: 'admin',
    open: (assertMayContinue, signal) =>
      call.services.exports.ofProject(call.projectId, { assertMayContinue, signal }),
  }),
);
