import { Retention } from '../../../../contract/dashboard/projects.ts';
import { dashboardOperation } from '../operation.ts';

export const setRetention = dashboardOperation({
  method: 'PUT',
  path: '/projects/{project}/retention',
  role: 'admin',
  confirms: true,
  summary: 'Set for how long emails and their bodies are kept',
  description: 'What is older goes within minutes, and does not come back.',
  body: Retention,
  success: { status: 204, description: 'It is set.' },
  run: ({ services, projectId, body: { keep_days: keepDays, keep_bodies_days: keepBodiesDays } }) =>
    services.projects.change(projectId, { keepDays, keepBodiesDays }),
});
