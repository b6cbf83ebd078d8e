import { DestinationOrder } from '../../../../contract/dashboard/system.ts';
import { dashboardOperation } from '../operation.ts';

export const resumeDestination = dashboardOperation({
  method: 'POST',
  path: '/system/destinations/resume',
  role: 'operator',
  summary: 'Send to a destination that was held',
  body: DestinationOrder,
  success: { status: 204, description: 'It is not held.' },
  run: async ({ services, body }) => {
    await services.system.resumeHeld(body.domain);
  },
});
