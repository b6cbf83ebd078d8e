import { ACCOUNT_OPERATIONS } from '../../../../accounts/operations.ts';
import { dashboardRun } from '../operation.ts';

export const createApiKey = dashboardRun(
  ACCOUNT_OPERATIONS.createApiKey,
  ({ services, principal, projectId, body }) => services.apiKeys.create(projectId, principal, body),
);
