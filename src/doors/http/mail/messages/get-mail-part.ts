import { MAIL_READING_OPERATIONS } from '../../../../webmail/read/operations.ts';
import { mailRun } from '../operation.ts';
import { sendHostile } from './send-hostile.ts';

export const getMailPart = mailRun(
  MAIL_READING_OPERATIONS.getMailPart,
  async ({ services, mailbox, id, part, reply }) => {
    const opened = await services.messageBytes.part(mailbox, id, part);
    return opened === null
      ? null
      : sendHostile(reply, opened.bytes, { type: 'application/octet-stream', saveAs: opened.part.name });
  },
);
