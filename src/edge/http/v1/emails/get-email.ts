import { EmailDetail } from '../../../../contract/emails.ts';
import { AppError } from '../../../../model/app-error.ts';
import { decodeId } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';

/** Contract row 3. */
export const getEmail = operation({
  method: 'GET',
  path: '/emails/{id}',
  scope: 'emails:read',
  operationId: 'getEmail',
  summary: 'Fetch an email with its timeline',
  tag: 'emails',
  success: { status: 200, description: 'The email.', body: EmailDetail },
  errors: ['not-found'],
  async run({ services, caller, id }) {
    const emailId = decodeId('em', id);
    const email = emailId === null ? null : await services.getEmail(caller.projectId, emailId);
    if (email === null) throw new AppError('not-found', 'There is no such email in this project.');
    return email;
  },
});
