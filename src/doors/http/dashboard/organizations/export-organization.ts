import { RETENTION_OPERATIONS } from '../../../../retention/operations.ts';
import { dashboardRun } from '../operation.ts';
import { sendExport } from '../send-export.ts';

export const exportOrganization = dashboardRun(RETENTION_OPERATIONS.exportOrganization, (call) =>
  sendExport(call, {
    name: 'export',
    format: 'ndjson',
    columns: [],
    csvOf: () => '',
    scope: { organizationId: call.principal.organizationId },
    role: 'owner',
    open: (assertMayContinue, signal) =>
      call.services.exports.ofOrganization(call.principal.organizationId, { assertMayContinue, signal }),
  }),
);
