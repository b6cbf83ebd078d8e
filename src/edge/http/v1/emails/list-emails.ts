import { EmailList, ListEmailsQuery } from '../../../../contract/emails.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, listEmails. */
export const listEmails = operation({
  method: 'GET',
  path: '/emails',
  scope: 'emails:read',
  twin: 'listEmails',
  summary: 'List emails, newest first',
  description: 'Pages are stable: emails accepted meanwhile do not shift later pages.',
  query: ListEmailsQuery,
  success: { status: 200, description: 'A page of emails.', body: EmailList },
  run: ({ services, caller, query }) => services.listEmails(caller.projectId, query),
});
