import { dashboardOperation } from '../operation.ts';

export const resumeQueue = dashboardOperation({
  method: 'POST',
  path: '/system/queue/resume',
  role: 'operator',
  summary: 'Send again',
  success: { status: 204, description: 'Sending goes on.' },
  run: async ({ services }) => {
    await services.system.resume();
  },
});
