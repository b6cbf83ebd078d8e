import { encodeId } from '../../../../model/ids.ts';
import { mailOperation } from '../operation.ts';
import { MESSAGE } from '../../../../webmail/read/message-resource.ts';
import { sendHostile } from './send-hostile.ts';

export const getRawMailMessage = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/messages/{id}/raw',
  resource: MESSAGE,
  summary: 'A message as it was received, as a file',
  success: { status: 200, description: 'The message.', media: 'message/rfc822' },
  async run({ services, mailbox, id, reply }) {
    const bytes = await services.messageBytes.raw(mailbox, id);
    return bytes === null
      ? null
      : sendHostile(reply, bytes, { type: 'message/rfc822', saveAs: `${encodeId('msg', id)}.eml` });
  },
});
