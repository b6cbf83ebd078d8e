import { ImportedSuppressions, ImportSuppressions } from '../../../../contract/dashboard/suppressions.ts';
import { dashboardOperation } from '../operation.ts';

export const importSuppressions = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/suppressions/import',
  role: 'developer',
  summary: 'Add the addresses of a piece of a file',
  description:
    'Up to 1,000 lines of CSV, or of addresses. What is no address is left out and named. A piece may be sent twice.',
  body: ImportSuppressions,
  success: { status: 200, description: 'What was read and added.', body: ImportedSuppressions },
  run: ({ services, projectId, body }) => services.suppressions.importFile(projectId, body),
});
