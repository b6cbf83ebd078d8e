import { UnlockedMailbox } from '../../../../contract/dashboard/mailboxes.ts';
import { dashboardOperation } from '../operation.ts';

export const unlockMailbox = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/mailboxes/{id}/unlock',
  role: 'admin',
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Forgive wrong passwords, and let a mailbox send again',
  success: { status: 200, description: 'It is unlocked.', body: UnlockedMailbox },
  run: async ({ services, projectId, id }) => {
    await services.mailboxAccess.unlock({ projectId, mailboxId: id });
    return { was_locked_for_sending: await services.mailboxAccess.unlockSending(projectId, id) };
  },
});
