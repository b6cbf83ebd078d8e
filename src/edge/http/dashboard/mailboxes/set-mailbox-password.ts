import { MailboxPassword, SetMailboxPassword } from '../../../../contract/dashboard/mailboxes.ts';
import { dashboardOperation } from '../operation.ts';

export const setMailboxPassword = dashboardOperation({
  method: 'PUT',
  path: '/projects/{project}/mailboxes/{id}/password',
  role: 'admin',
  confirms: true,
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Set the password of a mailbox',
  description:
    'What was opened with the one before ends within two seconds. One that was generated is in the answer, and in no other one.',
  body: SetMailboxPassword,
  success: { status: 200, description: 'It is set.', body: MailboxPassword },
  run: async ({ services, projectId, id, body }) => {
    const mailbox = { projectId, mailboxId: id };
    const { generated } = await services.mailboxAccess.setPassword(mailbox, body.password ?? null);
    return { password: generated };
  },
});
