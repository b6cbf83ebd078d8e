import { MAIL_READING_OPERATIONS } from '../../../../webmail/read/operations.ts';
import { mailRun } from '../operation.ts';
import { sendHostile } from './send-hostile.ts';

export const getMailPartThumbnail = mailRun(
  MAIL_READING_OPERATIONS.getMailPartThumbnail,
  async ({ services, mailbox, id, part, reply }) => {
    const image = await services.messageBytes.thumbnail(mailbox, id, part);
    return image === null ? null : sendHostile(reply, image.bytes, { type: image.type, saveAs: null });
  },
);
