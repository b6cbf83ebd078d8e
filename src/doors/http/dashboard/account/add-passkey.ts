import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { describePasskey } from '../../../../accounts/factors/describe-account.ts';
import type { AssertSignedIn } from '../../../../accounts/factors/factors.ts';
import { assertSession } from '../../../../accounts/sessions.ts';
import { afterEnrolment } from '../../../../accounts/factors/after-enrolment.ts';
import { dashboardRun } from '../operation.ts';
import { originOf } from '../../browser/origin-of.ts';

export const addPasskey = dashboardRun(
  FACTOR_OPERATIONS.addPasskey,
  async ({ services, principal, body, request }) => {
    const { name, ...answer } = body;
    const assertSignedIn: AssertSignedIn = (tx) => assertSession(tx, principal);
    const { passkey, recoveryCodes } = await services.parts.userFactors.passkeys.add(
      principal.userId,
      name,
      { ...answer, origin: originOf(request) },
      assertSignedIn,
    );
    await afterEnrolment(services.parts.database, principal, recoveryCodes !== null);
    return { passkey: describePasskey(passkey), recovery_codes: recoveryCodes };
  },
);
