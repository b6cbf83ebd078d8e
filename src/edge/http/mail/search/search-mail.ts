import { MailSearchPage, MailSearchQuery } from '../../../../contract/mail/conversations.ts';
import { goneSignal } from '../../when-gone.ts';
import { mailOperation } from '../operation.ts';

export const searchMail = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/search',
  summary: 'Search everything, while somebody types',
  description:
    'A search ends when whoever asks for it breaks the request off. What takes too long has the newest part of what there is, and says so.',
  query: MailSearchQuery,
  success: { status: 200, description: 'A page.', body: MailSearchPage },
  run: ({ services, mailbox, query, reply }) => services.search.search(mailbox, query, goneSignal(reply)),
});
