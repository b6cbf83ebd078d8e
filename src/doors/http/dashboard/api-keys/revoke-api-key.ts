import { ACCOUNT_OPERATIONS } from '../../../../accounts/operations.ts';
import { dashboardRun } from '../operation.ts';

/** It takes something away from applications and gives nothing to anybody: who finds a leaked key is not kept waiting for a password. */
export const revokeApiKey = dashboardRun(ACCOUNT_OPERATIONS.revokeApiKey, ({ services, projectId, id }) =>
  services.apiKeys.revoke(projectId, id),
);
