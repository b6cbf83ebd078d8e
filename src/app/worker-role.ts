import { Contracting } from '../db/contracting.ts';
import { DomainSchedule } from '../domains/check-schedule.ts';
import { sendsFromHost } from '../domains/host-name.ts';
import { Worker } from '../worker/run-worker.ts';
import { PausedDestinations } from '../queue/paused-destinations.ts';
import { PauseWatch } from '../queue/pause.ts';
import { ProviderWatch } from '../queue/provider-kind.ts';
import { ServiceBodies } from '../sending/service-mail/service-bodies.ts';
import { SendingJudge } from '../sending/locks/sending-judge.ts';
import { Notices } from '../sending/notices/notices.ts';
import { DeliverySender, MAX_IN_FLIGHT } from '../webhooks/deliver/delivery-sender.ts';
import { webhookQueue } from '../webhooks/deliver/webhook-queue.ts';
import { EmailCounter } from '../insights/counts/email-counter.ts';
import { EmailIndexer } from '../insights/search/email-indexer.ts';
import { ReplayFeed } from '../webhooks/replay/replay-feed.ts';
import { RetentionRole } from '../retention/retention.ts';
import { ROUTE_TIMINGS, routeQueue } from '../routes/deliver/route-queue.ts';
import { Store } from '../store/store.ts';
import { SnoozeWaker } from '../webmail/act/snooze-waker.ts';
import { Snoozing } from '../webmail/act/snoozing.ts';
import { OutgoingSender } from '../webmail/write/outgoing-sender.ts';
import { createProvider } from './providers.ts';
import { createLinkScanner } from './file-links.ts';
import type { RoleContext } from './role-context.ts';
import { createSubmitter } from './submitter.ts';
import { openWriting } from './writing.ts';

export async function startWorkerRole(context: RoleContext): Promise<Worker> {
  const { stack, core, assignment, config, logger, shared } = context;
  const { database, blobs, objects } = core;
  const { hostname, hostedDomain } = config;
  stack.use(new Contracting({ ...context, url: assignment.databaseUrl }));
  const sealer = await core.unseal();
  const client = core.openClient(MAX_IN_FLIGHT);
  const pause = new PauseWatch(database, logger);
  const sending = { database, shared, logger, isPaused: () => pause.isPaused, isPolled: true };
  const events = webhookQueue({ database, reads: core.lane('webhooks'), sealer, client, logger });
  const webhooks = new DeliverySender(events, sending);
  const routes = new DeliverySender(
    routeQueue({
      database,
      sealer,
      blobs,
      client,
      formatter: core.routeFormatter,
      links: core.routeLinks,
      logger,
    }),
    { ...sending, timings: ROUTE_TIMINGS },
  );
  const mail = { database, blobs, store: new Store(database), facts: core.facts };
  const writing = openWriting(core.stack, mail);
  const worker = await Worker.start({
    database,
    shared,
    databaseUrl: assignment.databaseUrl,
    provider: await createProvider(context),
    ...core.composing,
    blobs,
    serviceBodies: new ServiceBodies(database, sealer),
    logger,
    webhooks,
    routes,
    replays: new ReplayFeed({ database, logger, wake: webhooks.wake }),
    pause,
    agreement: new ProviderWatch(database, config, logger),
    pausedDestinations: new PausedDestinations(database),
    domains: new DomainSchedule({
      database,
      dnsOf: core.dnsOf,
      hostedDomain,
      logger,
      mailAccess: core.mailAccess,
      mxNames: config.mxNames,
      sendsDirectly: sendsFromHost(config.provider),
    }),
    keepDays: config.keepDays,
    judge: new SendingJudge({ database, logger }),
    notices: new Notices({ database, blobs, hostname, logger }),
    retention: new RetentionRole({
      database: core.lane('retention'),
      keepDays: config.keepDays,
      objects,
      logger,
    }),
    outgoing: new OutgoingSender({
      ...mail,
      ...writing,
      logger,
      submitter: createSubmitter(core, mail),
    }),
    snoozes: new SnoozeWaker(new Snoozing(mail), logger),
    counter: new EmailCounter({
      database: core.lane('counting'),
      keepDays: config.keepDays,
      logger,
    }),
    indexer: new EmailIndexer({ database: core.lane('indexing'), logger }),
    scanner: createLinkScanner(core),
    share: () => context.presence.shareOf('worker'),
    processId: assignment.leaseId,
    living: () => context.presence.living(),
    leaseId: assignment.leaseId,
    deadLeaseIds: assignment.deadLeaseIds,
  });
  return stack.use(worker);
}
