import { DIRECTORY_OPERATIONS } from '../../../../directory/operations.ts';
import { shareDirectory } from '../../../../directory/shares.ts';
import { validationError } from '../../../../model/app-error.ts';
import { decodeId, NIL_UUID } from '../../../../model/ids.ts';
import { dashboardRun } from '../operation.ts';

export const createShare = dashboardRun(
  DIRECTORY_OPERATIONS.createShare,
  async ({ services, projectId, sessionToken, body }) => {
    const toProjectId = decodeId('prj', body.to) ?? NIL_UUID;
    // A project that is hidden from the user answers as one that does not exist.
    const found = await services.signedIn.find(sessionToken, { projectId: toProjectId });
    if (found === null || found.standing === null)
      throw validationError({ to: 'is no project that you know' });
    return { id: await shareDirectory(services.parts.database, projectId, toProjectId) };
  },
);
