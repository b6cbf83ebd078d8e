import { ErasedStep, ErasePerson } from '../../../../contract/dashboard/projects.ts';
import { dashboardOperation } from '../operation.ts';

export const erasePerson = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/erasures',
  role: 'admin',
  confirms: true,
  summary: 'Erase what is kept of a person, by their address',
  description: 'In steps: see `next`. See docs/operate/retention.md, Erasing.',
  body: ErasePerson,
  success: { status: 200, description: 'What the step did.', body: ErasedStep },
  run: ({ services, projectId, body }) => services.projects.erasePerson(projectId, body),
});
