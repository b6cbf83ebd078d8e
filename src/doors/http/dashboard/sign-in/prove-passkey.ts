import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { passkeyRejected } from '../../browser/passkey-rejected.ts';
import { dashboardRun } from '../operation.ts';
import { enter } from '../session/enter.ts';
import { enterBehindSecondFactor } from '../session/enter-behind-second-factor.ts';
import { originOf } from '../../browser/origin-of.ts';
import { waitingFor } from '../../../../accounts/factors/waiting-for.ts';

export const provePasskey = dashboardRun(FACTOR_OPERATIONS.provePasskey, async (call) => {
  const { ticket, response, second_factor_ticket: second } = call.body;
  const waiting =
    second === undefined ? null : await waitingFor(call.services.parts.userFactors.second, second);
  const userId = await call.services.parts.userFactors.passkeys.prove(
    { ticket, response, origin: originOf(call.request) },
    waiting?.id ?? null,
  );
  if (userId === null) throw passkeyRejected();
  if (waiting === null)
    await enter(call, { userId, passwordHash: null, by: 'passkey', withSecondFactor: true });
  else await enterBehindSecondFactor(call, waiting);
  return { next: 'done' };
});
