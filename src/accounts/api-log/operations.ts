/** Operations on the API log. `run.ts` implements them. */
import {
  RejectedRequestDetail,
  RejectedRequestPage,
  RejectedRequestQuery,
} from '../../contract/dashboard/api-log.ts';
import { declare } from '../../contract/operation.ts';

export const API_LOG_OPERATIONS = {
  listRejectedRequests: declare({
    summary: 'List the rejected API requests of a project',
    description: 'Of the last seven days, and at most the last 1,000 of each API key.',
    query: RejectedRequestQuery,
    success: { status: 200, description: 'A page.', body: RejectedRequestPage },
    doors: { dashboard: { route: 'GET /projects/{project}/rejected-requests', role: 'viewer' } },
  }),
  getRejectedRequest: declare({
    summary: 'Fetch a rejected API request with its body',
    description: 'Users who may not see the content of emails get no body.',
    success: { status: 200, description: 'The request.', body: RejectedRequestDetail },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/rejected-requests/{id}',
        role: 'viewer',
        resource: { name: 'rejected request', prefix: 'rej' },
      },
    },
  }),
};
