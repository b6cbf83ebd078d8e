import { RecoveryCodes } from '../../../../contract/dashboard/factors.ts';
import { mailOperation } from '../operation.ts';

export const makeMailRecoveryCodes = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/recovery-codes',
  confirms: true,
  summary: 'Make other recovery codes',
  success: { status: 200, description: 'They take the place of those before.', body: RecoveryCodes },
  run: async ({ services, mailbox }) => ({
    recovery_codes: await services.factors.second.newRecoveryCodes(mailbox),
  }),
});
