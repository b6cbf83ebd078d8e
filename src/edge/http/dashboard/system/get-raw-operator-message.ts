import { encodeId } from '../../../../model/ids.ts';
import { sendHostile } from '../../mail/messages/send-hostile.ts';
import { dashboardOperation } from '../operation.ts';

export const getRawOperatorMessage = dashboardOperation({
  method: 'GET',
  path: '/system/operator-mail/{id}/raw',
  resource: { name: 'message', prefix: 'opm' },
  role: 'operator',
  summary: 'Download a message to the operators',
  description: 'As a file: a browser shows nothing of it.',
  success: { status: 200, description: 'The message as it was received.', media: 'application/octet-stream' },
  async run({ services, id, reply }) {
    const raw = await services.parts.system.rawOperatorMail(id);
    return raw === null
      ? null
      : sendHostile(reply, raw, { type: 'application/octet-stream', saveAs: `${encodeId('opm', id)}.eml` });
  },
});
