import { MailActionRequest, MailActionResult } from '../../../../contract/mail/actions.ts';
import { mailOperation } from '../operation.ts';

export const runMailAction = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/actions',
  summary: 'Move, mark or delete conversations, messages, or all of a folder or a search',
  description: 'All of something is done in turns: the answer says how to go on.',
  body: MailActionRequest,
  success: { status: 200, description: 'What was done.', body: MailActionResult },
  errors: ['not-found'],
  run: ({ services, mailbox, body }) => services.actions.run(mailbox, body),
});
