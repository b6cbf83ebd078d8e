import { dashboardOperation } from '../operation.ts';
import { sendExport } from '../send-export.ts';

export const exportOrganization = dashboardOperation({
  method: 'GET',
  path: '/organizations/{organization}/export',
  role: 'owner',
  confirms: true,
  summary: 'Export all that is known of the projects of an organisation',
  description: 'As the export of a project, one project after the other.',
  success: { status: 200, description: 'A file.', media: 'application/octet-stream' },
  run: (call) =>
    sendExport(call, {
      name: 'export',
      format: 'ndjson',
      columns: [],
      csvOf: () => '',
      place: { organizationId: call.principal.organizationId },
      role: 'owner',
      open: (isWelcome, signal) =>
        call.services.exports.ofOrganization(call.principal.organizationId, { isWelcome, signal }),
    }),
});
