import { MailHtmlQuery } from '../../../../contract/mail/messages.ts';
import { AppError } from '../../../../model/app-error.ts';
import { mailOperation } from '../operation.ts';
import { BUSY_PAGE } from './busy-page.ts';
import { framePolicy } from './frame-policy.ts';
import { MESSAGE } from '../../../../webmail/read/message-resource.ts';
import { sendHostile } from './send-hostile.ts';

export const getMailMessageHtml = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/messages/{id}/html',
  resource: MESSAGE,
  summary: 'The HTML of a message, for a frame',
  description:
    'A document with a policy of its own: nothing in it runs, and it asks for nothing but images through this service. 404 where has_html is false; while the service is too busy, a document that says so.',
  query: MailHtmlQuery,
  success: { status: 200, description: 'The document.', media: 'text/html' },
  async run({ services, mailbox, session, id, query, request, reply, isSecure }) {
    let html: string | null;
    try {
      html = await services.messages.html(mailbox, id, {
        theme: query.theme ?? 'light',
        remote: query.remote === '1',
        isFolded: query.quote === '0',
        address: session.address,
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
      return sendHostile(reply.code(503).header('retry-after', '5'), BUSY_PAGE, {
        type: 'text/html; charset=utf-8',
        saveAs: null,
      });
    }
    if (html === null) return null;
    return sendHostile(reply, html, {
      type: 'text/html; charset=utf-8',
      policy: framePolicy(request, isSecure, mailbox, id),
      saveAs: null,
    });
  },
});
