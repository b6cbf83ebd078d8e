import { Mailbox } from '../../../../contract/mailboxes.ts';
import { AppError } from '../../../../model/app-error.ts';
import { decodeId } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';

/** Contract row 11. */
export const getMailbox = operation({
  method: 'GET',
  path: '/mailboxes/{id}',
  scope: 'mailboxes:read',
  operationId: 'getMailbox',
  summary: 'Fetch a mailbox',
  tag: 'mailboxes',
  success: { status: 200, description: 'The mailbox.', body: Mailbox },
  errors: ['not-found'],
  async run({ services, caller, id }) {
    const mailboxId = decodeId('mbx', id);
    const mailbox = mailboxId === null ? null : await services.mailboxes.get(caller.projectId, mailboxId);
    if (mailbox === null) throw new AppError('not-found', 'There is no such mailbox in this project.');
    return mailbox;
  },
});
