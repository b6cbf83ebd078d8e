import { Contracting } from '../db/contracting.ts';
import type { Database } from '../db/database.ts';
import { checkSecret } from '../db/seal.ts';
import { DomainSchedule } from '../domains/check-schedule.ts';
import { DkimKeyring } from '../domains/dkim-keyring.ts';
import { trustsHand } from '../domains/sending-domains.ts';
import { Worker } from '../edge/worker/run-worker.ts';
import { dnsOfDomains } from '../net/zone-dns.ts';
import { PauseWatch } from '../queue/pause.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';
import { TRACKING_KEY, TrackingLinks } from '../sending/track/tracking-links.ts';
import { MAX_IN_FLIGHT, WebhookSender } from '../webhooks/deliver/webhook-sender.ts';
import { Retention } from '../retention/retention.ts';
import { openObjects } from './objects.ts';
import { createProvider } from './providers.ts';
import { openClient, openPool, type RoleContext } from './role-context.ts';

export async function startWorkerRole(context: RoleContext, database: Database): Promise<Worker> {
  const { stack, assignment, config, logger } = context;
  const { hostname, hostedDomain } = config;
  stack.use(new Contracting({ ...context, url: assignment.databaseUrl }));
  const sealer = await checkSecret(database, assignment.secret);
  const client = openClient(context, MAX_IN_FLIGHT);
  const dnsOf = dnsOfDomains(config.dns, config.environment === 'development');
  const pause = new PauseWatch(database, logger);
  const worker = await Worker.start({
    database,
    databaseUrl: assignment.databaseUrl,
    provider: await createProvider(context, database),
    keyring: new DkimKeyring(database, sealer, hostedDomain, {
      trustsHand: trustsHand(config),
    }),
    returnPaths: new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY)),
    trackingLinks: new TrackingLinks(sealer.deriveKey(TRACKING_KEY)),
    logger,
    webhooks: new WebhookSender({ database, sealer, client, logger, isPaused: () => pause.isPaused }),
    pause,
    domains: new DomainSchedule({ database, dnsOf, hostname, hostedDomain, logger }),
    keepDays: config.keepDays,
    retention: new Retention({
      database: openPool(context, { name: 'retention', poolSize: 1 }),
      keepDays: config.keepDays,
      objects: openObjects(config, stack),
      logger,
    }),
    leaseId: assignment.leaseId,
    deadLeaseIds: assignment.deadLeaseIds,
  });
  return stack.use(worker);
}
