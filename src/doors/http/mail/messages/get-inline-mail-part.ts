import { MAIL_READING_OPERATIONS } from '../../../../webmail/read/operations.ts';
import { mailRun } from '../operation.ts';
import { sendHostile } from './send-hostile.ts';

export const getInlineMailPart = mailRun(
  MAIL_READING_OPERATIONS.getInlineMailPart,
  async ({ services, mailboxId, id, part, query, reply }) => {
    const image = await services.messageBytes.inline(mailboxId, id, part, query.sig);
    if (image === null) return null;
    return sendHostile(reply, image.bytes, {
      type: image.type,
      isForFrame: true,
      saveAs: null,
    });
  },
);
