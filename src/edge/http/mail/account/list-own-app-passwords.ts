import { AppPasswordList } from '../../../../contract/dashboard/mailboxes.ts';
import { encodeId } from '../../../../model/ids.ts';
import { mailOperation } from '../operation.ts';

export const listOwnAppPasswords = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/app-passwords',
  summary: 'App passwords of the mailbox, without their secrets',
  success: { status: 200, description: 'The app passwords.', body: AppPasswordList },
  run: async ({ services, mailbox }) => ({
    data: (await services.appPasswords.list(mailbox)).map(({ id, name, access, createdAt, lastUsedAt }) => ({
      id: encodeId('app', id),
      name,
      access,
      created_at: createdAt.toISOString(),
      last_used_at: lastUsedAt?.toISOString() ?? null,
    })),
  }),
});
