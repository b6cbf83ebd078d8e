import { describePasskey } from '../../../../accounts/factors/describe-account.ts';
import type { AssertSignedIn } from '../../../../accounts/factors/factors.ts';
import { assertSession } from '../../../../accounts/sessions.ts';
import { AddedPasskey, AddPasskey } from '../../../../contract/dashboard/factors.ts';
import { afterEnrolment } from '../../../../accounts/factors/after-enrolment.ts';
import { dashboardOperation } from '../operation.ts';
import { originOf } from '../../browser/origin-of.ts';

export const addPasskey = dashboardOperation({
  method: 'POST',
  path: '/user/passkeys',
  role: 'signed-in',
  serves: 'second-factor',
  confirms: true,
  summary: 'Add a passkey',
  body: AddPasskey,
  success: { status: 201, description: 'From now on it signs the user in.', body: AddedPasskey },
  errors: ['already-exists'],
  async run({ services, principal, body, request }) {
    const { name, ...answer } = body;
    const assertSignedIn: AssertSignedIn = (tx) => assertSession(tx, principal);
    const { passkey, recoveryCodes } = await services.factors.passkeys.add(
      principal.userId,
      name,
      { ...answer, origin: originOf(request) },
      assertSignedIn,
    );
    await afterEnrolment(services.parts.database, principal, recoveryCodes !== null);
    return { passkey: describePasskey(passkey), recovery_codes: recoveryCodes };
  },
});
