import { mailOperation } from '../operation.ts';
import { MESSAGE } from '../../../../webmail/read/message-resource.ts';
import { sendHostile } from './send-hostile.ts';

export const previewMailPart = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/messages/{id}/parts/{part}/preview',
  resource: MESSAGE,
  part: 'part',
  summary: 'Look at an attachment',
  description:
    'An image of pixels, by what its bytes are, or the begin of a text. 404 for everything else: SVG and HTML are documents, and a PDF can run scripts and ask for pages.',
  success: { status: 200, description: 'The image, or the text.', media: '*/*' },
  async run({ services, mailbox, id, part, reply }) {
    const shown = await services.messageBytes.preview(mailbox, id, part);
    if (shown === null) return null;
    const [type, body] =
      'text' in shown ? ['text/plain; charset=utf-8', shown.text] : [shown.type, shown.bytes];
    return sendHostile(reply, body, { type, saveAs: null });
  },
});
