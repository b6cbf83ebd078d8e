import { encodeId } from '../../../../model/ids.ts';
import { assertSeesBodies } from '../../../../inspect/assert-sees-bodies.ts';
import { dashboardOperation } from '../operation.ts';

export const getEmailSource = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/emails/{id}/source',
  role: 'viewer',
  resource: { name: 'email', prefix: 'em' },
  summary: 'Download the message of an email',
  description: 'As `posthorn email raw` prints it. Not to viewers who may not see bodies.',
  success: { status: 200, description: 'The message.', media: 'message/rfc822' },
  errors: ['domain-not-verified'],
  async run({ services, principal, projectId, id, reply }) {
    assertSeesBodies(principal);
    const message = await services.inspector.source(projectId, id);
    if (message === null) return null;
    return reply
      .header('content-disposition', `attachment; filename="${encodeId('em', id)}.eml"`)
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-store')
      .type('message/rfc822')
      .send(message.data);
  },
});
