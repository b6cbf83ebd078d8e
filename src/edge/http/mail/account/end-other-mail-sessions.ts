import { mailOperation } from '../operation.ts';

export const endOtherMailSessions = mailOperation({
  method: 'DELETE',
  path: '/mailboxes/{mailbox}/sessions',
  summary: 'Sign out everywhere else',
  description:
    'Mail apps sign in again by themselves: revoke an app password, or change the password, to keep them out.',
  success: { status: 204, description: 'All that is open but this session ends within two seconds.' },
  run: ({ services, session }) => services.sessions.endOthers(session),
});
