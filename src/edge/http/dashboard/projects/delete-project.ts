import { DeleteByName } from '../../../../contract/dashboard/projects.ts';
import { dashboardOperation } from '../operation.ts';

export const deleteProject = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}',
  role: 'owner',
  confirms: true,
  summary: 'Delete a project with all that it has',
  description:
    'Its keys, domains and mailboxes are gone when it is answered, and nothing is sent any more. Emails and mail go in the background.',
  body: DeleteByName,
  success: { status: 204, description: 'It is deleted.' },
  run: ({ services, projectId, body }) => services.projects.delete(projectId, body.name),
});
