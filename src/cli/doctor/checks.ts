import { checkBaseUrl } from './check-base-url.ts';
import { checkCertificate } from './check-certificate.ts';
import { checkClock } from './check-clock.ts';
import { checkDatabase } from './check-database.ts';
import { checkDisk } from './check-disk.ts';
import { checkEnvironment } from './check-environment.ts';
import { checkHostedDomain } from './check-hosted-domain.ts';
import { checkHostname } from './check-hostname.ts';
import { checkInbound } from './check-inbound.ts';
import { checkMetrics } from './check-metrics.ts';
import { checkOutgoing } from './check-outgoing.ts';
import { checkResolver } from './check-resolver.ts';
import { checkReverseName } from './check-reverse-name.ts';
import { checkService } from './check-service.ts';
import { checkSes } from './check-ses.ts';
import { checkSmartHost } from './check-smart-host.ts';
import { checkVariables } from './check-variables.ts';
import type { Finding } from './finding.ts';
import type { Check } from './run-checks.ts';
import type { World } from './world.ts';

/** Those that the settings ask for, in the order in which they are shown: what others depend on comes first. */
export function checksOf(world: World): Check[] {
  const { provider, smartHost, ses, roles } = world.config;
  const check = (name: string, run: (world: World) => Promise<Finding>): Check => ({
    name,
    run: () => run(world),
  });
  return [
    check('settings', checkEnvironment),
    check('variables', checkVariables),
    check('database', checkDatabase),
    check('disk', checkDisk),
    check('clock', checkClock),
    check('service', checkService),
    check('dns', checkResolver),
    check('hostname', checkHostname),
    ...(provider === 'direct' ? [check('ptr', checkReverseName), check('outgoing', checkOutgoing)] : []),
    ...(provider === 'smtp' && smartHost !== null
      ? [check('smart_host', (of) => checkSmartHost(of, smartHost))]
      : []),
    ...(provider === 'ses' && ses !== null ? [check('ses', (of) => checkSes(of, ses))] : []),
    ...(roles.includes('smtp')
      ? [check('inbound', checkInbound), check('certificate', checkCertificate)]
      : []),
    check('hosted_domain', checkHostedDomain),
    ...(roles.includes('http') && provider !== 'sandbox' ? [check('base_url', checkBaseUrl)] : []),
    check('metrics', checkMetrics),
  ];
}
