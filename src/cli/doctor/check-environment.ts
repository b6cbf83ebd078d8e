import { type Finding, ok, warning } from './finding.ts';
import type { World } from './world.ts';

/** Whether mail goes outside, and only outside. */
export async function checkEnvironment({ config }: World): Promise<Finding> {
  const { provider, environment } = config;
  if (provider === 'sandbox') {
    return warning(
      'POSTHORN_PROVIDER is sandbox: nothing is delivered outside.',
      'Set POSTHORN_PROVIDER to direct, smtp or ses, and run this again.',
    );
  }
  if (provider === 'direct' && environment === 'development') {
    return warning(
      "POSTHORN_ENV is development: a recipient's DNS can lead Posthorn to servers of your own network, because private addresses are dialled.",
      'Set POSTHORN_ENV to production.',
    );
  }
  return ok(`POSTHORN_PROVIDER is ${provider}, and POSTHORN_ENV is ${environment}.`);
}
