import { MAIL_READING_OPERATIONS } from '../../../../webmail/read/operations.ts';
import { encodeId } from '../../../../model/ids.ts';
import { mailRun } from '../operation.ts';
import { sendHostile } from './send-hostile.ts';

export const getRawMailMessage = mailRun(
  MAIL_READING_OPERATIONS.getRawMailMessage,
  async ({ services, mailbox, id, reply }) => {
    const bytes = await services.messageBytes.raw(mailbox, id);
    return bytes === null
      ? null
      : sendHostile(reply, bytes, { type: 'message/rfc822', saveAs: `${encodeId('msg', id)}.eml` });
  },
);
