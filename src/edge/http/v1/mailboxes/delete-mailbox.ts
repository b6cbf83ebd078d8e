import { AppError } from '../../../../model/app-error.ts';
import { decodeId } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';

/** Contract row 13. */
export const deleteMailbox = operation({
  method: 'DELETE',
  path: '/mailboxes/{id}',
  scope: 'mailboxes:write',
  operationId: 'deleteMailbox',
  summary: 'Delete a mailbox',
  description: 'Its login, its mail and its member of the directory go with it.',
  tag: 'mailboxes',
  success: { status: 204, description: 'Deleted.' },
  errors: ['not-found'],
  async run({ services, caller, id }) {
    const mailboxId = decodeId('mbx', id);
    const deleted = mailboxId !== null && (await services.mailboxes.delete(caller.projectId, mailboxId));
    if (!deleted) throw new AppError('not-found', 'There is no such mailbox in this project.');
  },
});
