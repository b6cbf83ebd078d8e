import { dashboardOperation } from '../operation.ts';
import { sendExport } from '../send-export.ts';

export const exportProject = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/export',
  role: 'admin',
  confirms: true,
  summary: 'Export all that is known of a project',
  description:
    'A JSON object on each line, with one key that says what it is about (`project`, `emails`, `domains`, …). No secrets, and no mail of mailboxes. An export that breaks off was ended by an error, or with the session.',
  success: { status: 200, description: 'A file.', media: 'application/octet-stream' },
  run: (call) =>
    sendExport(call, {
      name: 'export',
      format: 'ndjson',
      columns: [],
      csvOf: () => '',
      place: { projectId: call.projectId },
      role: 'admin',
      open: (isWelcome, signal) => call.services.exports.ofProject(call.projectId, { isWelcome, signal }),
    }),
});
