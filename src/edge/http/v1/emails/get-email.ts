import { EmailDetail } from '../../../../contract/emails.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, getEmail. */
export const getEmail = operation({
  method: 'GET',
  path: '/emails/{id}',
  scope: 'emails:read',
  summary: 'Fetch an email with its timeline',
  success: { status: 200, description: 'The email.', body: EmailDetail },
  run: ({ services, caller, id }) => services.getEmail(caller.projectId, id),
});
