import { EmailList, ListEmailsQuery } from '../../../../contract/emails.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, listEmails. */
export const listEmails = operation({
  method: 'GET',
  path: '/emails',
  scope: 'emails:read',
  operationId: 'listEmails',
  summary: 'List emails, newest first',
  description: 'Pages are stable: emails that are accepted meanwhile do not move those of later pages.',
  tag: 'emails',
  query: ListEmailsQuery,
  success: { status: 200, description: 'A page of emails.', body: EmailList },
  run: ({ services, caller, query }) => services.listEmails(caller.projectId, query),
});
