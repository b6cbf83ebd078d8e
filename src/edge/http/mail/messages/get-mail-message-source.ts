import { mailOperation } from '../operation.ts';
import { MESSAGE } from '../../../../webmail/read/message-resource.ts';
import { sendHostile } from './send-hostile.ts';

/** A page shows no more of a message: the rest is in the file. */
const MAX_SOURCE = 1_048_576;

export const getMailMessageSource = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/messages/{id}/source',
  resource: MESSAGE,
  summary: 'The source of a message as a page of text',
  description: 'The first MB; GET raw has all of it.',
  success: { status: 200, description: 'The source.', media: 'text/plain' },
  async run({ services, mailbox, id, reply }) {
    const source = await services.messageBytes.begin(mailbox, id, MAX_SOURCE);
    return source === null
      ? null
      : sendHostile(reply, source.toString('utf8'), { type: 'text/plain; charset=utf-8', saveAs: null });
  },
});
