/** Operations of the API that read emails. `run.ts` implements them. */
import { EmailDetail, EmailList, ListEmailsQuery } from '../../contract/emails.ts';
import { declare } from '../../contract/operation.ts';

export const EMAIL_OPERATIONS = {
  listEmails: declare({
    summary: 'List emails, newest first',
    description: 'Pages are stable: emails accepted in the meantime do not shift later pages.',
    query: ListEmailsQuery,
    success: { status: 200, description: 'A page of emails.', body: EmailList },
    doors: {
      api: { route: 'GET /emails', scope: 'emails:read', twin: 'listEmails' },
    },
  }),
  getEmail: declare({
    summary: 'Fetch an email with its timeline',
    success: { status: 200, description: 'The email.', body: EmailDetail },
    doors: {
      api: { route: 'GET /emails/{id}', scope: 'emails:read', twin: 'getEmailContent' },
    },
  }),
};
