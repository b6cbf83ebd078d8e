import { Mailbox, UpdateMailbox } from '../../../../contract/mailboxes.ts';
import { AppError } from '../../../../model/app-error.ts';
import { decodeId } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';

/** Contract row 12. */
export const updateMailbox = operation({
  method: 'PATCH',
  path: '/mailboxes/{id}',
  scope: 'mailboxes:write',
  operationId: 'updateMailbox',
  summary: 'Change a mailbox',
  description: 'The address and the password stay. Without a body nothing changes.',
  tag: 'mailboxes',
  body: UpdateMailbox,
  success: { status: 200, description: 'The mailbox as it is now.', body: Mailbox },
  errors: ['not-found'],
  async run({ services, caller, id, body }) {
    const mailbox = await services.mailboxes.update(caller.projectId, decodeId('mbx', id), body);
    if (mailbox === null) throw new AppError('not-found', 'There is no such mailbox in this project.');
    return mailbox;
  },
});
