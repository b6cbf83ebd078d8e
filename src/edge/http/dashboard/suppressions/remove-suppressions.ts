import { RemovedSuppressions, RemoveSuppressions } from '../../../../contract/dashboard/suppressions.ts';
import { dashboardOperation } from '../operation.ts';

/** Not a DELETE: several go in one transaction. */
export const removeSuppressions = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/suppressions/removal',
  role: 'developer',
  summary: 'Send mail to addresses again',
  body: RemoveSuppressions,
  success: {
    status: 200,
    description: 'From the next attempt on mail goes there again.',
    body: RemovedSuppressions,
  },
  async run({ services, projectId, body }) {
    return { removed: (await services.suppressions.remove(projectId, body.addresses)).length };
  },
});
