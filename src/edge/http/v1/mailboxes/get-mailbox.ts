import { Mailbox } from '../../../../contract/mailboxes.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, getMailbox. */
export const getMailbox = operation({
  method: 'GET',
  path: '/mailboxes/{id}',
  scope: 'mailboxes:read',
  twin: 'getMailbox',
  summary: 'Fetch a mailbox',
  success: { status: 200, description: 'The mailbox.', body: Mailbox },
  run: ({ services, caller, id }) => services.mailboxes.get(caller.projectId, id),
});
