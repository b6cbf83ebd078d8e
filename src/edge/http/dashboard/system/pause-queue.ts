import { dashboardOperation } from '../operation.ts';

export const pauseQueue = dashboardOperation({
  method: 'POST',
  path: '/system/queue/pause',
  role: 'operator',
  summary: 'Send nothing, and call no webhook',
  success: { status: 204, description: 'Sending is paused.' },
  run: async ({ services }) => {
    await services.system.pause();
  },
});
