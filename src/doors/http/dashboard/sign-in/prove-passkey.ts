import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { passkeyRejected } from '../../browser/passkey-rejected.ts';
import { dashboardRun } from '../operation.ts';
import { startSession } from '../session/start-session.ts';
import { startSessionAfterSecondFactor } from '../session/start-session-after-second-factor.ts';
import { originOf } from '../../browser/origin-of.ts';
import { pendingSignIn } from '../../../../accounts/factors/pending-sign-in.ts';

export const provePasskey = dashboardRun(FACTOR_OPERATIONS.provePasskey, async (call) => {
  const { ticket, response, second_factor_ticket: second } = call.body;
  const pending =
    second === undefined ? null : await pendingSignIn(call.services.parts.userFactors.second, second);
  const userId = await call.services.parts.userFactors.passkeys.prove(
    { ticket, response, origin: originOf(call.request) },
    pending?.id ?? null,
  );
  if (userId === null) throw passkeyRejected();
  if (pending === null)
    await startSession(call, { userId, passwordHash: null, by: 'passkey', withSecondFactor: true });
  else await startSessionAfterSecondFactor(call, pending);
  return { next: 'done' };
});
