import { MAIL_READING_OPERATIONS } from '../../../../webmail/read/operations.ts';
import { mailRun } from '../operation.ts';
import { sendHostile } from './send-hostile.ts';

export const getRemoteImage = mailRun(
  MAIL_READING_OPERATIONS.getRemoteImage,
  async ({ services, mailboxId, id, query, reply }) => {
    const image = await services.messageBytes.remote(mailboxId, id, query.url, query.sig);
    if (image === null) return null;
    return sendHostile(reply, image.bytes, {
      type: image.type,
      isForFrame: true,
      saveAs: null,
    });
  },
);
