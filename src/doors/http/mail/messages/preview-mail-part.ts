import { MAIL_READING_OPERATIONS } from '../../../../webmail/read/operations.ts';
import { mailRun } from '../operation.ts';
import { sendHostile } from './send-hostile.ts';

export const previewMailPart = mailRun(
  MAIL_READING_OPERATIONS.previewMailPart,
  async ({ services, mailbox, id, part, reply }) => {
    const shown = await services.messageBytes.preview(mailbox, id, part);
    if (shown === null) return null;
    const [type, body] =
      'text' in shown ? ['text/plain; charset=utf-8', shown.text] : [shown.type, shown.bytes];
    return sendHostile(reply, body, { type, saveAs: null });
  },
);
