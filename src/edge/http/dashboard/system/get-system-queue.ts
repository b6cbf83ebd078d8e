import { QueueQuery, SystemQueue } from '../../../../contract/dashboard/system.ts';
import { dashboardOperation } from '../operation.ts';

export const getSystemQueue = dashboardOperation({
  method: 'GET',
  path: '/system/queue',
  role: 'operator',
  summary: 'Show the queue by destination',
  query: QueueQuery,
  success: { status: 200, description: 'The queue.', body: SystemQueue },
  run: ({ services, query }) => services.system.queue(query),
});
