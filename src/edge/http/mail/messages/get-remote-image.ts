import { MailRemoteQuery } from '../../../../contract/mail/messages.ts';
import { mailOperation } from '../operation.ts';
import { MESSAGE } from '../../../../webmail/read/message-resource.ts';
import { sendHostile } from './send-hostile.ts';

export const getRemoteImage = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/messages/{id}/remote',
  resource: MESSAGE,
  signed: true,
  summary: 'An image of elsewhere within the frame of a message',
  description:
    'Fetched by this service, which says nothing of the reader. Only addresses that GET html has written.',
  query: MailRemoteQuery,
  success: { status: 200, description: 'The image.', media: 'image/*' },
  async run({ services, mailboxId, id, query, reply }) {
    const image = await services.messageBytes.remote(mailboxId, id, query.url, query.sig);
    if (image === null) return null;
    return sendHostile(reply, image.bytes, {
      type: image.type,
      isForFrame: true,
      saveAs: null,
    });
  },
});
