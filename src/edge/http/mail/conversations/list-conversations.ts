import { ConversationPage, ConversationQuery } from '../../../../contract/mail/conversations.ts';
import { AppError } from '../../../../model/app-error.ts';
import { mailOperation } from '../operation.ts';

export const listConversations = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/conversations',
  summary: 'Conversations of a folder, the newest first, page by page or from any row on',
  query: ConversationQuery,
  success: { status: 200, description: 'A page.', body: ConversationPage },
  errors: ['not-found'],
  async run({ services, mailbox, query }) {
    const page = await services.lists.conversations(mailbox, query);
    if (page === null) throw new AppError('not-found', 'There is no such folder.');
    return page;
  },
});
