import { CreatedShare, CreateShare } from '../../../../contract/dashboard/directory.ts';
import { validationError } from '../../../../model/app-error.ts';
import { decodeId, NIL_UUID } from '../../../../model/ids.ts';
import { dashboardOperation } from '../operation.ts';

export const createShare = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/shares',
  role: 'admin',
  confirms: true,
  summary: 'Let another project see the directory of this one',
  body: CreateShare,
  success: { status: 201, description: 'The share.', body: CreatedShare },
  errors: ['already-exists'],
  async run({ services, projectId, sessionToken, body }) {
    const toProjectId = decodeId('prj', body.to) ?? NIL_UUID;
    // A project that is hidden from the user answers as one that does not exist.
    const found = await services.signedIn.find(sessionToken, { projectId: toProjectId });
    if (found === null || found.standing === null)
      throw validationError({ to: 'is no project that you know' });
    return { id: await services.shares.create(projectId, toProjectId) };
  },
});
