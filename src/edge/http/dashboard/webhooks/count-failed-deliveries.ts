import { FailedDeliveries, FailedQuery } from '../../../../contract/dashboard/webhooks.ts';
import { dashboardOperation } from '../operation.ts';
import { timeOrNull } from './time-or-null.ts';

export const countFailedDeliveries = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/webhooks/{id}/failed',
  role: 'viewer',
  resource: { name: 'webhook', prefix: 'wh' },
  summary: 'Count what a replay would send again',
  query: FailedQuery,
  success: { status: 200, description: 'The count.', body: FailedDeliveries },
  run: ({ services, projectId, id, query }) =>
    services.webhookPages.countFailed({ projectId, webhookId: id }, timeOrNull(query.since)),
});
