import { AppPasswordList } from '../../../../contract/dashboard/mailboxes.ts';
import { encodeId } from '../../../../model/ids.ts';
import { dashboardOperation } from '../operation.ts';

export const listAppPasswords = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/mailboxes/{id}/app-passwords',
  role: 'developer',
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'App passwords of a mailbox, without their secrets',
  success: { status: 200, description: 'The app passwords.', body: AppPasswordList },
  run: async ({ services, projectId, id }) => {
    if ((await services.mailboxes.get(projectId, id)) === null) return null;
    const found = await services.mailboxAccess.listAppPasswords({ projectId, mailboxId: id });
    return {
      data: found.map(({ id: appId, name, access, createdAt, lastUsedAt }) => ({
        id: encodeId('app', appId),
        name,
        access,
        created_at: createdAt.toISOString(),
        last_used_at: lastUsedAt?.toISOString() ?? null,
      })),
    };
  },
});
