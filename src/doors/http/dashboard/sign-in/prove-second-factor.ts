import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { dashboardRun } from '../operation.ts';
import { enterBehindSecondFactor } from '../session/enter-behind-second-factor.ts';
import { clientOf } from '../../browser/client-of.ts';
import { acceptCode } from '../../browser/accept-code.ts';
import { waitingFor } from '../../../../accounts/factors/waiting-for.ts';

export const proveSecondFactor = dashboardRun(FACTOR_OPERATIONS.proveSecondFactor, async (call) => {
  const { ticket, code } = call.body;
  const waiting = await waitingFor(call.services.parts.userFactors.second, ticket);
  const { address } = clientOf(call.request);
  acceptCode(
    await call.services.parts.userFactors.second.proveCode({
      id: waiting.id,
      code,
      address,
      takesRecoveryCodes: true,
    }),
  );
  await enterBehindSecondFactor(call, waiting);
  return { next: 'done' };
});
