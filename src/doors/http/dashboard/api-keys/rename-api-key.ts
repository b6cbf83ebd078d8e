import { ACCOUNT_OPERATIONS } from '../../../../accounts/operations.ts';
import { dashboardRun } from '../operation.ts';

export const renameApiKey = dashboardRun(
  ACCOUNT_OPERATIONS.renameApiKey,
  ({ services, projectId, id, body }) => services.apiKeys.rename(projectId, id, body.name),
);
