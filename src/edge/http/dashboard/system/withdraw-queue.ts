import { Withdrawn } from '../../../../contract/dashboard/system.ts';
import { dashboardOperation } from '../operation.ts';

export const withdrawQueue = dashboardOperation({
  method: 'POST',
  path: '/system/queue/withdraw',
  role: 'operator',
  confirms: true,
  summary: 'Do not send what was accepted before the pause',
  description: 'For ten seconds at a time.',
  success: { status: 200, description: 'Those that go out no more.', body: Withdrawn },
  errors: ['bad-request'],
  async run({ services }) {
    const { withdrawn, isDone } = await services.system.withdraw();
    return { withdrawn, is_done: isDone };
  },
});
