/** Whether ClamAV looks at the files of links. */
import { askClamdVersion, type ClamdAddress } from '../../file-links/scan/clamd.ts';
import { type Finding, ok, problem, reasonOf } from './finding.ts';
import type { World } from './world.ts';

export async function checkClamd({ signal, timeoutMs }: World, address: ClamdAddress): Promise<Finding> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    return ok(`ClamAV answers at POSTHORN_CLAMD: ${await askClamdVersion(address, limit)}.`);
  } catch (error) {
    return problem(
      `ClamAV gives no answer at POSTHORN_CLAMD, so files of links wait an hour and are then handed out with a warning: ${reasonOf(error)}`,
      "Start clamav-daemon, and name its socket: Debian's is /run/clamav/clamd.ctl, which the user of the service must be able to open.",
    );
  }
}
