import { CreateAppPassword, CreatedAppPassword } from '../../../../contract/dashboard/mailboxes.ts';
import { encodeId } from '../../../../model/ids.ts';
import { mailOperation } from '../operation.ts';

export const createOwnAppPassword = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/app-passwords',
  confirms: true,
  summary: 'Make a password for one mail app',
  description: 'It is in the answer, and in no other one.',
  body: CreateAppPassword,
  success: { status: 201, description: 'The app password.', body: CreatedAppPassword },
  async run({ services, mailbox, body }) {
    const made = await services.appPasswords.create(mailbox, body);
    return { id: encodeId('app', made.id), ...body, password: made.password };
  },
});
