import { MailHtmlQuery } from '../../../../contract/mail/messages.ts';
import { mailOperation } from '../operation.ts';
import { framePolicy } from './frame-policy.ts';
import { MESSAGE } from '../../../../webmail/read/message-resource.ts';
import { sendHostile } from './send-hostile.ts';

export const printMailMessage = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/messages/{id}/print',
  resource: MESSAGE,
  summary: 'A message with its header, as a page to print',
  query: MailHtmlQuery,
  success: { status: 200, description: 'The page.', media: 'text/html' },
  async run({ services, mailbox, session, id, query, request, reply, isSecure }) {
    const page = await services.messages.printed(mailbox, id, {
      remote: query.remote === '1',
      address: session.address,
    });
    if (page === null) return null;
    return sendHostile(reply, page, {
      type: 'text/html; charset=utf-8',
      policy: framePolicy(request, isSecure, mailbox, id),
      saveAs: null,
    });
  },
});
