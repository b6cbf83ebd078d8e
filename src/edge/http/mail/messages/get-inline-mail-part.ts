import { MailInlineQuery } from '../../../../contract/mail/messages.ts';
import { mailOperation } from '../operation.ts';
import { MESSAGE } from '../../../../webmail/read/message-resource.ts';
import { sendHostile } from './send-hostile.ts';

export const getInlineMailPart = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/messages/{id}/parts/{part}/inline',
  resource: MESSAGE,
  part: 'part',
  signed: true,
  summary: 'An image of a message within its frame',
  query: MailInlineQuery,
  success: { status: 200, description: 'The image.', media: 'image/*' },
  async run({ services, mailboxId, id, part, query, reply }) {
    const image = await services.messageBytes.inline(mailboxId, id, part, query.sig);
    if (image === null) return null;
    return sendHostile(reply, image.bytes, {
      type: image.type,
      isForFrame: true,
      saveAs: null,
    });
  },
});
