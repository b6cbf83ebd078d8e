import { mailOperation } from '../operation.ts';
import { MESSAGE } from '../../../../webmail/read/message-resource.ts';
import { sendHostile } from './send-hostile.ts';

export const getMailPart = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/messages/{id}/parts/{part}',
  resource: MESSAGE,
  part: 'part',
  summary: 'Save an attachment',
  description: 'Its bytes, as a file of no type: no browser opens it by itself.',
  success: { status: 200, description: 'The bytes.', media: 'application/octet-stream' },
  async run({ services, mailbox, id, part, reply }) {
    const opened = await services.messageBytes.part(mailbox, id, part);
    return opened === null
      ? null
      : sendHostile(reply, opened.bytes, { type: 'application/octet-stream', saveAs: opened.part.name });
  },
});
