import { Doctor } from '../../../../contract/dashboard/system.ts';
import { dashboardOperation } from '../operation.ts';

export const runDoctor = dashboardOperation({
  method: 'POST',
  path: '/system/doctor',
  role: 'operator',
  summary: 'Make the checks of doctor again',
  success: { status: 202, description: 'They are under way.', body: Doctor },
  run: async ({ services }) => services.system.doctor.runAgain(),
});
