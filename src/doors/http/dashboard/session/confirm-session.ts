import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { confirmSession as noteConfirmation } from '../../../../accounts/sessions.ts';
import { CONFIRMED_MS } from '../../../../accounts/limits.ts';
import * as clock from '../../../../model/clock.ts';
import { dashboardRun } from '../operation.ts';
import { assertCodeAccepted } from '../../browser/assert-code-accepted.ts';
import { originOf } from '../../browser/origin-of.ts';
import { passkeyRejected } from '../../browser/passkey-rejected.ts';
import { clientOf } from '../../browser/client-of.ts';
import { prove } from './prove.ts';

export const confirmSession = dashboardRun(FACTOR_OPERATIONS.confirmSession, async (call) => {
  const { services, principal, body, request } = call;
  const { userId, email } = principal;
  const { second, passkeys } = services.parts.userFactors;
  const { password, code, passkey } = body;
  if (password !== undefined) await prove(call, email, password);
  if (code !== undefined) {
    const { address } = clientOf(request);
    assertCodeAccepted(await second.proveCode({ id: userId, code, address, takesRecoveryCodes: false }));
  }
  if (passkey !== undefined) {
    const asserted = { ...passkey, origin: originOf(request) };
    if ((await passkeys.prove(asserted, userId)) === null) throw passkeyRejected();
  }
  await noteConfirmation(services.parts.database, principal, {
    withSecondFactor: code !== undefined || passkey !== undefined,
  });
  return { confirmed_until: new Date(clock.nowMs() + CONFIRMED_MS).toISOString() };
});
