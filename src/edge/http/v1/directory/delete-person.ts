import { AppError } from '../../../../model/app-error.ts';
import { decodeId } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';

/** Contract row 24. */
export const deletePerson = operation({
  method: 'DELETE',
  path: '/directory/{id}',
  scope: 'directory:write',
  operationId: 'deletePerson',
  summary: 'Remove a person',
  description:
    'A member who is kept in step with a mailbox cannot be removed; a shared person is unknown here.',
  tag: 'directory',
  success: { status: 204, description: 'Removed.' },
  errors: ['not-found', 'synced-member-protected'],
  async run({ services, caller, id }) {
    const personId = decodeId('per', id);
    const removed = personId !== null && (await services.directory.remove(caller.projectId, personId));
    if (!removed) throw new AppError('not-found', 'There is no such person in this project.');
  },
});
