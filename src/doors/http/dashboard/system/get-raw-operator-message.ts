import { SYSTEM_OPERATIONS } from '../../../../installation/system/operations.ts';
import { encodeId } from '../../../../model/ids.ts';
import { sendHostile } from '../../mail/messages/send-hostile.ts';
import { dashboardRun } from '../operation.ts';

export const getRawOperatorMessage = dashboardRun(
  SYSTEM_OPERATIONS.getRawOperatorMessage,
  async ({ services, id, reply }) => {
    const raw = await services.parts.system.rawOperatorMail(id);
    return raw === null
      ? null
      : sendHostile(reply, raw, { type: 'application/octet-stream', saveAs: `${encodeId('opm', id)}.eml` });
  },
);
