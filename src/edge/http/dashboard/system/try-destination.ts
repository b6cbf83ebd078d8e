import { DestinationOrder } from '../../../../contract/dashboard/system.ts';
import { dashboardOperation } from '../operation.ts';

export const tryDestination = dashboardOperation({
  method: 'POST',
  path: '/system/destinations/try',
  role: 'operator',
  summary: 'Try a destination that is closed, and what one has put off, at once',
  body: DestinationOrder,
  success: {
    status: 204,
    description: 'A worker tries it, where something waits for it: of what it put off, 10,000 recipients.',
  },
  errors: ['bad-request'],
  run: async ({ services, body }) => {
    await services.system.tryNow(body.domain);
  },
});
