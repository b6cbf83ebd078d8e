import { Mailbox, UpdateMailbox } from '../../../../contract/mailboxes.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, updateMailbox. */
export const updateMailbox = operation({
  method: 'PATCH',
  path: '/mailboxes/{id}',
  scope: 'mailboxes:write',
  twin: 'updateMailbox',
  summary: 'Change a mailbox',
  description: 'The address and the password stay as they are. Without a body nothing changes.',
  body: UpdateMailbox,
  success: { status: 200, description: 'The mailbox as it is now.', body: Mailbox },
  run: ({ services, caller, id, body }) => services.mailboxes.update(caller.projectId, id, body),
});
