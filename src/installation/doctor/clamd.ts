/** Checks whether ClamAV is available to scan files that are sent as links. */
import { askClamdVersion, type ClamdAddress } from '../../file-links/scan/clamd.ts';
import { type Finding, ok, problem, reasonOf } from './finding.ts';
import type { World } from './world.ts';

export async function checkClamd({ signal, timeoutMs }: World, address: ClamdAddress): Promise<Finding> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    return ok(`ClamAV answers at POSTHORN_CLAMD: ${await askClamdVersion(address, limit)}.`);
  } catch (error) {
    return problem(
      `ClamAV does not answer at POSTHORN_CLAMD: ${reasonOf(error)}. Files sent as links wait an hour for a scan, and are then offered with a warning.`,
      'Start clamav-daemon, and set POSTHORN_CLAMD to its socket. On Debian this is /run/clamav/clamd.ctl, which the user of the service must be able to open.',
    );
  }
}
