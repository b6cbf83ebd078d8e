import { INSPECT_OPERATIONS } from '../../../../insights/operations.ts';
import { encodeId } from '../../../../model/ids.ts';
import { assertSeesBodies } from '../../../../insights/assert-sees-bodies.ts';
import { dashboardRun } from '../operation.ts';

export const getEmailSource = dashboardRun(
  INSPECT_OPERATIONS.getEmailSource,
  async ({ services, principal, projectId, id, reply }) => {
    assertSeesBodies(principal);
    const message = await services.parts.inspector.source(projectId, id);
    if (message === null) return null;
    return reply
      .header('content-disposition', `attachment; filename="${encodeId('em', id)}.eml"`)
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-store')
      .type('message/rfc822')
      .send(message.data);
  },
);
