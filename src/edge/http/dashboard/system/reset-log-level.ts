import { dashboardOperation } from '../operation.ts';

export const resetLogLevel = dashboardOperation({
  method: 'DELETE',
  path: '/system/log-level',
  role: 'operator',
  summary: 'Log as much as the settings say',
  success: { status: 204, description: 'The processes do so within seconds.' },
  run: async ({ services }) => {
    await services.system.resetLogLevel();
  },
});
