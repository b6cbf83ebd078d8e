import { MAIL_READING_OPERATIONS } from '../../../../webmail/read/operations.ts';
import { mailRun } from '../operation.ts';
import { sendHostile } from './send-hostile.ts';

/** Maximum bytes of the source that the page shows. The downloaded file is complete. */
const MAX_SOURCE = 1_048_576;

export const getMailMessageSource = mailRun(
  MAIL_READING_OPERATIONS.getMailMessageSource,
  async ({ services, mailbox, id, reply }) => {
    const source = await services.messageBytes.begin(mailbox, id, MAX_SOURCE);
    return source === null
      ? null
      : sendHostile(reply, source.toString('utf8'), { type: 'text/plain; charset=utf-8', saveAs: null });
  },
);
