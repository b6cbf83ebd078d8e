import { LogLevel, RaiseLogLevel } from '../../../../contract/dashboard/system.ts';
import { dashboardOperation } from '../operation.ts';

export const raiseLogLevel = dashboardOperation({
  method: 'PUT',
  path: '/system/log-level',
  role: 'operator',
  summary: 'Log more for a while, in all processes',
  body: RaiseLogLevel,
  success: { status: 200, description: 'The level.', body: LogLevel },
  run: ({ services, body }) => services.system.raiseLogLevel(body.minutes),
});
