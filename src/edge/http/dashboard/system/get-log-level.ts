import { LogLevel } from '../../../../contract/dashboard/system.ts';
import { dashboardOperation } from '../operation.ts';

export const getLogLevel = dashboardOperation({
  method: 'GET',
  path: '/system/log-level',
  role: 'operator',
  summary: 'Tell what is logged',
  success: { status: 200, description: 'The level.', body: LogLevel },
  run: ({ services }) => services.system.logLevel(),
});
