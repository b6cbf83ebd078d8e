import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { dashboardRun } from '../operation.ts';
import { startSessionAfterSecondFactor } from '../session/start-session-after-second-factor.ts';
import { clientOf } from '../../browser/client-of.ts';
import { assertCodeAccepted } from '../../browser/assert-code-accepted.ts';
import { pendingSignIn } from '../../../../accounts/factors/pending-sign-in.ts';

export const proveSecondFactor = dashboardRun(FACTOR_OPERATIONS.proveSecondFactor, async (call) => {
  const { ticket, code } = call.body;
  const pending = await pendingSignIn(call.services.parts.userFactors.second, ticket);
  const { address } = clientOf(call.request);
  assertCodeAccepted(
    await call.services.parts.userFactors.second.proveCode({
      id: pending.id,
      code,
      address,
      takesRecoveryCodes: true,
    }),
  );
  await startSessionAfterSecondFactor(call, pending);
  return { next: 'done' };
});
