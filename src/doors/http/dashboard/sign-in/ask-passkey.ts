import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { dashboardRun } from '../operation.ts';
import { waitingFor } from '../../browser/waiting-for.ts';

export const askPasskey = dashboardRun(FACTOR_OPERATIONS.askPasskey, async (call) => {
  const { ticket } = call.body;
  const userId =
    ticket === undefined ? null : (await waitingFor(call.services.parts.userFactors.second, ticket)).id;
  return call.services.parts.userFactors.passkeys.startProving(userId);
});
