import { describePasskey } from '../../../../accounts/factors/describe-account.ts';
import { AddedPasskey, AddPasskey } from '../../../../contract/dashboard/factors.ts';
import { originOf } from '../../browser/origin-of.ts';
import { mailOperation } from '../operation.ts';
import { endBefore, FROM_NOW_ON } from '../../../../mailboxes/sign-in/first-factor.ts';

export const addMailPasskey = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/passkeys',
  confirms: true,
  summary: 'Add a passkey',
  description: FROM_NOW_ON,
  body: AddPasskey,
  success: { status: 201, description: 'From now on it signs the owner in.', body: AddedPasskey },
  errors: ['already-exists'],
  async run({ services, mailbox, session, body, request }) {
    const { name, ...answer } = body;
    const asserted = { ...answer, origin: originOf(request) };
    const { passkey, recoveryCodes } = await services.factors.passkeys.add(mailbox, name, asserted);
    await endBefore(services.database, session, recoveryCodes);
    return { passkey: describePasskey(passkey), recovery_codes: recoveryCodes };
  },
});
