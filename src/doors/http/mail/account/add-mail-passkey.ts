import { MAILBOX_ACCESS_OPERATIONS } from '../../../../mailboxes/sign-in/operations.ts';
import { describePasskey } from '../../../../accounts/factors/describe-account.ts';
import { originOf } from '../../browser/origin-of.ts';
import { mailRun } from '../operation.ts';
import { endBefore } from '../../../../mailboxes/sign-in/first-factor.ts';

export const addMailPasskey = mailRun(
  MAILBOX_ACCESS_OPERATIONS.addMailPasskey,
  async ({ services, mailbox, session, body, request }) => {
    const { name, ...answer } = body;
    const asserted = { ...answer, origin: originOf(request) };
    const { passkey, recoveryCodes } = await services.parts.mailboxFactors.passkeys.add(
      mailbox,
      name,
      asserted,
    );
    await endBefore(services.database, session, recoveryCodes);
    return { passkey: describePasskey(passkey), recovery_codes: recoveryCodes };
  },
);
