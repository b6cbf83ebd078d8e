/** The composition root: builds the parts of each role, and unwinds them on exit. No logic. */
import type { Logger } from 'pino';
import { createApiKey } from '../accounts/api-keys.ts';
import { createProject, ensureOrganization, findProject } from '../accounts/projects.ts';
import type { Assignment, OpenPorts } from './assignment.ts';
import type { Config } from './config.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { QueueNotifier } from '../db/notify.ts';
import { checkSecret } from '../db/seal.ts';
import { DkimKeyring } from '../domains/dkim-keyring.ts';
import { ensureHostedDomain } from '../domains/hosted.ts';
import type { MetricsOptions } from '../edge/http/metrics.ts';
import { Readiness } from '../edge/http/readiness.ts';
import type { Worker } from '../edge/worker/run-worker.ts';
import { createLogger } from './logger.ts';
import { recordGivenUp } from '../sending/deliver/give-up.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';
import { TRACKING_KEY, TrackingLinks } from '../sending/track/tracking-links.ts';
import type { OtherFigures } from '../metrics/exposition.ts';
import { dnsOfDomains } from '../net/zone-dns.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { flushSpans } from '../observe/spans.ts';
import { createProvider } from './providers.ts';
import { isTakenBySmartHost } from './reports-port.ts';
import { endAllLeases } from '../queue/end-lease.ts';
import { openSesFeedback } from './ses-feedback.ts';

const READ_POOL_SIZE = 4;
const REPORT_POOL_SIZE = 2;

export interface FirstStart {
  /** The full-access key of the project `default`: shown once. */
  token: string;
}

export interface RunningRoles extends AsyncDisposable {
  ports: OpenPorts;
}

/**
 * Brings the database up to date and makes what every installation has: an organisation, the project `default`, the
 * hosted domain with its keys. Safe when several instances start at once.
 * @returns the key of the first start, else null
 * @throws when the secret is not the one that the database was sealed with
 */
export async function prepare(
  databaseUrl: string,
  secret: string,
  config: Config,
): Promise<FirstStart | null> {
  await using open = disposable(openDatabase(databaseUrl, { patient: true }));
  const { database } = open;
  await migrate(database);
  const sealer = await checkSecret(database, secret);
  await ensureHostedDomain(database, sealer, config.hostedDomain);
  // The embedded database was started a moment ago, under a lock: no worker of an earlier start can still be at work.
  if (config.databaseUrl === null)
    await endAllLeases(database, recordGivenUp(createLogger([], config.logLevel)));
  // Awaited here: the database is closed when this scope is left.
  return await firstStart(database, config);
}

async function firstStart(database: Database, config: Config): Promise<FirstStart | null> {
  return database.transaction().execute(async (tx) => {
    const organizationId = await ensureOrganization(tx);
    if ((await findProject(tx, 'default')) !== null) return null;
    const projectId = await createProject(tx, organizationId, 'default', config.defaultPlan);
    const { token } = await createApiKey(tx, projectId, 'first start', null);
    return { token };
  });
}

/**
 * Starts the roles of one process. Disposing finishes what is in flight.
 * @param otherFigures of the other processes of this instance
 */
export async function startRoles(
  assignment: Assignment,
  config: Config,
  otherFigures: () => Promise<OtherFigures>,
): Promise<RunningRoles> {
  const stack = new AsyncDisposableStack();
  const logger = createLogger(assignment.roles, config.logLevel);
  stack.defer(flushSpans);
  const { database } = stack.use(disposable(openDatabase(assignment.databaseUrl, { name: 'main' })));
  const readiness = new Readiness({ database, logger });
  let worker: Worker | null = null;
  try {
    const ports: OpenPorts = { http: null, smtp: null };
    // The first to start is the last to end.
    if (assignment.roles.includes('status'))
      ports.http = await startStatusRole(
        stack,
        assignment,
        await openMetrics(stack, assignment, config, otherFigures),
        async () => {
          const isIdle = assignment.roles.includes('worker') && worker?.isLiving !== true;
          return (await readiness.whyNot()) ?? (isIdle ? 'The worker has no fresh heartbeat.' : null);
        },
      );
    if (assignment.roles.includes('http'))
      ports.http = await startHttpRole(
        stack,
        { database, readiness, metrics: await openMetrics(stack, assignment, config, otherFigures) },
        assignment,
        config,
        logger,
      );
    if (assignment.roles.includes('smtp') && !isTakenBySmartHost(config))
      ports.smtp = await startSmtpRole(stack, assignment, config, logger);
    if (assignment.roles.includes('worker'))
      worker = await startWorkerRole(stack, database, assignment, config, logger);
    return {
      ports,
      [Symbol.asyncDispose]() {
        readiness.stop();
        return stack.disposeAsync();
      },
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function startStatusRole(
  stack: AsyncDisposableStack,
  assignment: Assignment,
  metrics: MetricsOptions,
  whyNotReady: () => Promise<string | null>,
): Promise<number> {
  const { startStatusListener } = await import('../edge/http/status-listener.ts');
  const { http: port } = assignment.ports;
  return stack.use(await startStatusListener({ port, whyNotReady, metrics })).port;
}

async function openMetrics(
  stack: AsyncDisposableStack,
  { databaseUrl }: Assignment,
  config: Config,
  otherFigures: () => Promise<OtherFigures>,
): Promise<MetricsOptions> {
  const [{ Exposition, STATEMENT_TIMEOUT_MS }, { answersThisMachine }] = await Promise.all([
    import('../metrics/exposition.ts'),
    import('../edge/http/metrics.ts'),
  ]);
  // A count of a long queue must not take a connection that mail needs.
  const { database } = stack.use(
    disposable(
      openDatabase(databaseUrl, {
        name: 'metrics',
        poolSize: 1,
        statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      }),
    ),
  );
  const { read } = new Exposition(database, otherFigures);
  return { token: config.metricsToken, answersThisMachine: answersThisMachine(config), read };
}

async function startHttpRole(
  stack: AsyncDisposableStack,
  { database, readiness, metrics }: { database: Database; readiness: Readiness; metrics: MetricsOptions },
  assignment: Assignment,
  config: Config,
  logger: Logger,
): Promise<number> {
  // Loaded by the role that runs it: the others start sooner and stay smaller.
  const [{ startHttp }, { createServices }] = await Promise.all([
    import('../edge/http/server.ts'),
    import('./services.ts'),
  ]);
  // Pages of a large log must not take the connections that accepting needs.
  const reads = stack.use(
    disposable(openDatabase(assignment.databaseUrl, { name: 'reads', poolSize: READ_POOL_SIZE })),
  ).database;
  const sealer = await checkSecret(database, assignment.secret);
  let port = assignment.ports.http;
  const baseUrl = () => config.baseUrl ?? `http://localhost:${port}`;
  const receiveSesNotification = await openSesFeedback(stack, assignment.databaseUrl, sealer, config, logger);
  const services = { database, reads, sealer, readiness, baseUrl, config, receiveSesNotification };
  const http = await startHttp(createServices(services), {
    port,
    rateLimit: config.rateLimit,
    trustedProxies: config.trustedProxies,
    baseUrl: config.baseUrl,
    logger,
    metrics,
  });
  ({ port } = stack.use(http));
  return port;
}

async function startSmtpRole(
  stack: AsyncDisposableStack,
  assignment: Assignment,
  config: Config,
  logger: Logger,
): Promise<number> {
  const [{ startSmtpListener }, { Certificate }, { ReportReceiver }] = await Promise.all([
    import('../edge/smtp/listener.ts'),
    import('../edge/tcp/certificate.ts'),
    import('../reports/receive/report-receiver.ts'),
  ]);
  // A flood of reports must not take the connections that accepting needs.
  const { database } = stack.use(
    disposable(openDatabase(assignment.databaseUrl, { name: 'reports', poolSize: REPORT_POOL_SIZE })),
  );
  const sealer = await checkSecret(database, assignment.secret);
  const certificate =
    config.tls === null
      ? null
      : new Certificate(config.tls, (error) =>
          logger.error({ err: error }, LOG_MESSAGES.certificateUnusable),
        );
  const reports = new ReportReceiver({
    database,
    returnPaths: new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY)),
    logger,
    onEvents: new QueueNotifier(database).wake,
  });
  const listener = await startSmtpListener({
    port: assignment.ports.smtp,
    hostname: config.hostname,
    secureContext: certificate === null ? null : () => certificate.current(),
    addresseeOf: async ({ forwardPath }) => reports.addresseeOf(forwardPath),
    receive: ({ addressees }, data) => reports.receive(addressees, data),
  });
  return stack.use(listener).port;
}

async function startWorkerRole(
  stack: AsyncDisposableStack,
  database: Database,
  assignment: Assignment,
  config: Config,
  logger: Logger,
): Promise<Worker> {
  const [{ Worker }, { MAX_IN_FLIGHT, WebhookSender }, { GuardedClient }, { DomainSchedule }] =
    await Promise.all([
      import('../edge/worker/run-worker.ts'),
      import('../webhooks/deliver/webhook-sender.ts'),
      import('../net/guarded-client.ts'),
      import('../domains/check-schedule.ts'),
    ]);
  const sealer = await checkSecret(database, assignment.secret);
  const client = stack.use(
    new GuardedClient({
      allowLoopback: config.environment === 'development',
      maxConnectionsPerOrigin: MAX_IN_FLIGHT,
      dns: config.dns,
    }),
  );
  return stack.use(
    await Worker.start({
      database,
      databaseUrl: assignment.databaseUrl,
      provider: await createProvider(stack, database, config, logger),
      keyring: new DkimKeyring(database, sealer, config.hostedDomain),
      returnPaths: new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY)),
      trackingLinks: new TrackingLinks(sealer.deriveKey(TRACKING_KEY)),
      logger,
      webhooks: new WebhookSender({ database, sealer, client, logger }),
      domains: new DomainSchedule({
        database,
        dnsOf: dnsOfDomains(config.dns, config.environment === 'development'),
        hostname: config.hostname,
        hostedDomain: config.hostedDomain,
        logger,
      }),
      leaseId: assignment.leaseId,
      deadLeaseIds: assignment.deadLeaseIds,
    }),
  );
}

function disposable(database: Database): { database: Database } & AsyncDisposable {
  return { database, [Symbol.asyncDispose]: () => database.destroy() };
}
