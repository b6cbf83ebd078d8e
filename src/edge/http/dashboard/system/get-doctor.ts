import { Doctor } from '../../../../contract/dashboard/system.ts';
import { dashboardOperation } from '../operation.ts';

export const getDoctor = dashboardOperation({
  method: 'GET',
  path: '/system/doctor',
  role: 'operator',
  summary: 'Tell what doctor finds on this machine',
  description: 'Where that is older than five minutes, the checks are made again.',
  success: { status: 200, description: 'What was found last.', body: Doctor },
  run: async ({ services }) => services.system.doctor.read(),
});
