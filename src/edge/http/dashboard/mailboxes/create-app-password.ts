import { CreateAppPassword, CreatedAppPassword } from '../../../../contract/dashboard/mailboxes.ts';
import { encodeId } from '../../../../model/ids.ts';
import { dashboardOperation } from '../operation.ts';

export const createAppPassword = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/mailboxes/{id}/app-passwords',
  role: 'admin',
  confirms: true,
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Make a password for one mail app',
  description: 'It is in the answer, and in no other one.',
  body: CreateAppPassword,
  success: { status: 201, description: 'The app password.', body: CreatedAppPassword },
  run: async ({ services, projectId, id, body }) => {
    const made = await services.mailboxAccess.createAppPassword({ projectId, mailboxId: id }, body);
    return { id: encodeId('app', made.id), ...body, password: made.password };
  },
});
