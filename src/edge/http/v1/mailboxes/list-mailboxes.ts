import { MailboxList } from '../../../../contract/mailboxes.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, listMailboxes. */
export const listMailboxes = operation({
  method: 'GET',
  path: '/mailboxes',
  scope: 'mailboxes:read',
  twin: 'listMailboxes',
  summary: 'List mailboxes, oldest first',
  success: { status: 200, description: 'All mailboxes of the project.', body: MailboxList },
  run: ({ services, caller }) => services.mailboxes.list(caller.projectId),
});
