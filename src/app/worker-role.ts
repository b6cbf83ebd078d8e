import { Blobs } from '../blobs/blobs.ts';
import { Contracting } from '../db/contracting.ts';
import type { Database } from '../db/database.ts';
import { checkSecret } from '../db/seal.ts';
import { DomainSchedule } from '../domains/check-schedule.ts';
import { DkimKeyring } from '../domains/dkim-keyring.ts';
import { trustsHand } from '../domains/sending-domains.ts';
import { Worker } from '../edge/worker/run-worker.ts';
import { dnsOfDomains } from '../net/zone-dns.ts';
import { HoldWatch } from '../queue/holds.ts';
import { PauseWatch } from '../queue/pause.ts';
import { ProviderWatch } from '../queue/provider-kind.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';
import { ServiceBodies } from '../sending/service-mail/service-bodies.ts';
import { SendingJudge } from '../sending/locks/sending-judge.ts';
import { Notices } from '../sending/notices/notices.ts';
import { TRACKING_KEY, TrackingLinks } from '../sending/track/tracking-links.ts';
import { MAX_IN_FLIGHT, WebhookSender } from '../webhooks/deliver/webhook-sender.ts';
import { EmailCounter } from '../sending/counts/email-counter.ts';
import { EmailIndexer } from '../sending/search/email-indexer.ts';
import { ReplayFeed } from '../webhooks/replay/replay-feed.ts';
import { Retention } from '../retention/retention.ts';
import { mailAccess } from './mail-access.ts';
import { openObjects } from './objects.ts';
import { FactsReader } from '../store/facts/facts-reader.ts';
import { Store } from '../store/store.ts';
import { OutgoingSender } from '../webmail/write/outgoing-sender.ts';
import { createProvider } from './providers.ts';
import { createLinkScanner } from './file-links.ts';
import { openClient, openPool, type RoleContext } from './role-context.ts';
import { createSubmitter } from './submitter.ts';
import { openWriting } from './writing.ts';

export async function startWorkerRole(context: RoleContext, database: Database): Promise<Worker> {
  const { stack, assignment, config, logger } = context;
  const { hostname, hostedDomain } = config;
  stack.use(new Contracting({ ...context, url: assignment.databaseUrl }));
  const sealer = await checkSecret(database, assignment.secret);
  const client = openClient(context, MAX_IN_FLIGHT);
  const dnsOf = dnsOfDomains(config.dns, config.environment === 'development');
  const pause = new PauseWatch(database, logger);
  const objects = openObjects(config, stack);
  const blobs = new Blobs(database, objects);
  const webhooks = new WebhookSender({ database, sealer, client, logger, isPaused: () => pause.isPaused });
  const mail = { database, blobs, store: new Store(database), facts: stack.use(new FactsReader()) };
  const writing = openWriting(stack, mail);
  const worker = await Worker.start({
    database,
    databaseUrl: assignment.databaseUrl,
    provider: await createProvider(context, database),
    keyring: new DkimKeyring(database, sealer, hostedDomain, {
      trustsHand: trustsHand(config),
    }),
    returnPaths: new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY)),
    trackingLinks: new TrackingLinks(sealer.deriveKey(TRACKING_KEY)),
    blobs,
    serviceBodies: new ServiceBodies(database, sealer),
    logger,
    webhooks,
    replays: new ReplayFeed({ database, logger, wake: webhooks.wake }),
    pause,
    agreement: new ProviderWatch(database, config, logger),
    holds: new HoldWatch(database),
    domains: new DomainSchedule({
      database,
      dnsOf,
      hostedDomain,
      logger,
      mailAccess: mailAccess(config),
      mxNames: config.mxNames,
    }),
    keepDays: config.keepDays,
    judge: new SendingJudge({ database, logger }),
    notices: new Notices({ database, blobs, hostname, logger }),
    retention: new Retention({
      database: openPool(context, { name: 'retention', poolSize: 1 }),
      keepDays: config.keepDays,
      objects,
      logger,
    }),
    outgoing: new OutgoingSender({
      ...mail,
      ...writing,
      logger,
      submitter: stack.use(createSubmitter(database, mail, config)),
    }),
    counter: new EmailCounter({
      database: openPool(context, { name: 'counting', poolSize: 1 }),
      keepDays: config.keepDays,
      logger,
    }),
    indexer: new EmailIndexer({ database: openPool(context, { name: 'indexing', poolSize: 1 }), logger }),
    scanner: createLinkScanner(context, objects),
    processId: assignment.leaseId,
    living: () => context.presence.living(),
    leaseId: assignment.leaseId,
    deadLeaseIds: assignment.deadLeaseIds,
  });
  return stack.use(worker);
}
