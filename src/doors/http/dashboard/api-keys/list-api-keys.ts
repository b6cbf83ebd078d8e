import { ACCOUNT_OPERATIONS } from '../../../../accounts/operations.ts';
import { dashboardRun } from '../operation.ts';

export const listApiKeys = dashboardRun(ACCOUNT_OPERATIONS.listApiKeys, ({ services, projectId }) =>
  services.apiKeys.list(projectId),
);
