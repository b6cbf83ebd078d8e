import { DestinationOrder } from '../../../../contract/dashboard/system.ts';
import { dashboardOperation } from '../operation.ts';

export const holdDestination = dashboardOperation({
  method: 'POST',
  path: '/system/destinations/hold',
  role: 'operator',
  summary: 'Send nothing to a destination until it is resumed',
  body: DestinationOrder,
  success: { status: 204, description: 'It is held.' },
  run: async ({ services, body }) => {
    await services.system.hold(body.domain);
  },
});
