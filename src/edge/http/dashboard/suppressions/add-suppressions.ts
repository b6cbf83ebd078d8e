import { AddedSuppressions, AddSuppressions } from '../../../../contract/suppressions.ts';
import { dashboardOperation } from '../operation.ts';

export const addSuppressions = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/suppressions',
  role: 'developer',
  summary: 'Send no more mail to addresses',
  body: AddSuppressions,
  success: { status: 200, description: 'What stands for each address now.', body: AddedSuppressions },
  run: ({ services, projectId, body }) => services.suppressions.add(projectId, body),
});
