import { assertSeesBodies } from '../../../../insights/assert-sees-bodies.ts';
import { INSPECT_OPERATIONS } from '../../../../insights/operations.ts';
import { sendHostile } from '../../mail/messages/send-hostile.ts';
import { dashboardRun } from '../operation.ts';

export const getEmailFile = dashboardRun(
  INSPECT_OPERATIONS.getEmailFile,
  async ({ services, principal, projectId, id, query, reply }) => {
    assertSeesBodies(principal);
    const file = await services.parts.inspector.file(projectId, id, Number(query.at));
    return file === null
      ? null
      : sendHostile(reply, file.bytes, { type: 'application/octet-stream', saveAs: file.name });
  },
);
