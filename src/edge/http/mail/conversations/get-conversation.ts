import { MailConversation, MailConversationQuery } from '../../../../contract/mail/conversations.ts';
import { mailOperation } from '../operation.ts';

export const getConversation = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/conversations/{id}',
  resource: { name: 'conversation', prefix: 'thr' },
  summary: 'A conversation with what is said of each of its messages, in all folders',
  query: MailConversationQuery,
  success: { status: 200, description: 'The conversation.', body: MailConversation },
  run: ({ services, mailbox, id, query }) => services.lists.conversation(mailbox, id, query.cursor ?? null),
});
