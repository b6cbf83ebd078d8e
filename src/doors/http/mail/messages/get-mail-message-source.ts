import { MAIL_READING_OPERATIONS } from '../../../../webmail/read/operations.ts';
import { mailRun } from '../operation.ts';
import { sendHostile } from './send-hostile.ts';

/** A page shows no more of a message: the rest is in the file. */
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
