/** The composition root: starts the roles of a process and closes them on exit. No logic. */
import { createApiKey } from '../accounts/keys/api-keys.ts';
import { ensureOrganization } from '../accounts/organizations/organizations.ts';
import { createProject, FIRST_PROJECT, isFirstStart } from '../accounts/projects/projects.ts';
import { makeWelcomeLink } from '../accounts/sign-in-links.ts';
import type { Logger } from 'pino';
import type { Assignment, ProcessRole } from './assignment.ts';
import { BaseCore } from './base-core.ts';
import { openCertificates } from './certificates.ts';
import type { Config } from './config.ts';
import { type Database, isDatabaseAway, openDatabase, openLane } from '../db/database.ts';
import { LanePool } from '../db/lane-pool.ts';
import { BAD_CONFIGURATION, StartupError } from '../model/startup-error.ts';
import { logSteps } from '../db/log-steps.ts';
import { migrate } from '../db/migrate.ts';
import { ensurePartitions } from '../db/partitions.ts';
import { forgetProcesses, Presence, setClockFromDatabase } from '../db/presence.ts';
import { checkSecret } from '../db/seal.ts';
import { SharedStatements } from '../db/shared-statements.ts';
import { hasStickySessions, NO_SESSIONS } from '../db/sessions.ts';
import { ensureHostedDomain, generateHostedKeys } from '../domains/hosted.ts';
import { Readiness } from '../doors/http/readiness.ts';
import type { Worker } from '../worker/run-worker.ts';
import { createLogger } from './logger.ts';
import { laneOptions } from './lanes.ts';
import type { MailServices } from './mail-services.ts';
import { recordAbandoned } from '../sending/deliver/record-abandoned.ts';
import type { OtherFigures } from '../metrics/exposition.ts';
import { VERSION } from '../model/version.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { flushSpans } from '../observe/spans.ts';
import { noPorts, type OpenPorts } from './ports.ts';
import { isMigrated, requireProvider } from './provider-required.ts';
import { ownUrl } from './own-address.ts';
import { isUsedBySmartHost } from './reports-port.ts';
import type { RoleContext } from './role-context.ts';
import { LogLevelWatch } from '../installation/system/log-level.ts';
import { markingHours } from '../insights/counts/mark-hours.ts';
import { showCounted } from '../installation/system/statements.ts';
import { endAllLeases } from '../queue/end-lease.ts';
import { readPause } from '../queue/pause.ts';
import { recordProviderKind } from '../queue/provider-kind.ts';

export interface FirstStart {
  /** The full-access key of the project `default`. The key is shown only once. */
  token: string;
  /** The id of the key, for revoking it: key_... */
  keyId: string;
}

/** The result of `prepare`. */
export interface Prepared {
  /** The created key. Null if this was not the first start. */
  firstStart: FirstStart | null;
  /** The token of the first owner's sign-in link. Null if there are users, or if this instance has no dashboard. */
  welcomeToken: string | null;
  /** The time at which sending was paused, as an API timestamp. Null if sending is not paused. */
  pausedSince: string | null;
}

/** Stores the key of a first start, in case `prepare` fails after it has created the key and is called again. */
export interface FirstStartMemo {
  firstStart?: FirstStart | null;
}

export interface OtherProcesses {
  figures(): Promise<OtherFigures>;
  /** Whether every process that has a port is listening. */
  listen(): boolean;
}

export interface RunningRoles extends AsyncDisposable {
  ports: OpenPorts;
}

/**
 * Migrates the database and creates the rows of every installation: an organization, the project `default`, and the hosted domain with its
 * keys. Several instances may call this function at the same time, and an instance may call it again after a failure.
 * @param memo an empty object in the first call, and the same object in each call after a failure
 * @throws StartupError if the database was sealed with another secret, if its schema does not support this version, or if the connection
 * goes through a pooler without session pooling
 */
export async function prepare(
  databaseUrl: string,
  secret: string,
  config: Config,
  memo: FirstStartMemo = {},
): Promise<Prepared> {
  await using stack = new AsyncDisposableStack();
  if (config.databaseUrl !== null && !(await hasStickySessions(databaseUrl)))
    throw new StartupError(`${NO_SESSIONS.seen} ${NO_SESSIONS.advice}`, { exitCode: BAD_CONFIGURATION });
  const database = stack.adopt(openDatabase(databaseUrl, { patient: true }), (opened) => opened.destroy());
  await setClockFromDatabase(database);
  await requireProvider(config, database);
  const logger = createLogger([], config.logLevel);
  // On a first start, generate the keys of the hosted domain in another thread while the tables are created.
  const isFirst = !(await isMigrated(database));
  const keys = isFirst ? generateHostedKeys() : null;
  // If a migration fails, no code awaits the keys.
  keys?.catch(() => {});
  const dev = config.devSmtpPort === null ? null : await import('./prepare-dev.ts');
  if (!isFirst) await dev?.assertNotReal(database);
  const waiting = await migrate(databaseUrl, { onStep: logSteps(logger) });
  logger.info({ version: VERSION, waiting }, LOG_MESSAGES.schemaReady);
  await ensurePartitions(database, config.keepDays);
  const sealer = await checkSecret(database, secret);
  await ensureHostedDomain(database, sealer, config.hostedDomain, keys);
  // The embedded database was started under a lock a moment ago, so no worker of an earlier start can still be running.
  if (config.databaseUrl === null) {
    await showCounted(database);
    await forgetProcesses(database);
    await endAllLeases(database, recordAbandoned(logger));
  }
  const pause = await readPause(database);
  // Use `await` here, because the database is closed when this scope ends.
  memo.firstStart ??= await firstStart(database, config);
  await recordProviderKind(database, config, config.roles.includes('worker'));
  await dev?.prepareDev(database, config, memo.firstStart);
  return {
    firstStart: memo.firstStart,
    welcomeToken: config.roles.includes('http') ? await makeWelcomeLink(database) : null,
    pausedSince: pause?.since.toISOString() ?? null,
  };
}

async function firstStart(database: Database, config: Config): Promise<FirstStart | null> {
  return database.transaction().execute(async (tx) => {
    const organizationId = await ensureOrganization(tx);
    if (!(await isFirstStart(tx))) return null;
    const projectId = await createProject(tx, organizationId, FIRST_PROJECT, config.defaultPlan);
    const { id, token } = await createApiKey(tx, projectId, 'Initial key', null);
    return { token, keyId: id };
  });
}

/** The code of the roles. It is loaded only in processes that run the role, so that other processes start sooner and stay smaller. */
const CODE = {
  smtp: () => import('./smtp-role.ts'),
  submission: () => import('./submission-role.ts'),
  imap: () => import('./imap-role.ts'),
  pop3: () => import('./pop3-role.ts'),
  status: () => import('./status-role.ts'),
  http: () => import('./http-role.ts'),
  worker: () => import('./worker-role.ts'),
};

/** Loads the code of the roles before `startRoles` needs it. Loading takes up to half a second of processor time. */
export async function loadRoles(roles: readonly ProcessRole[]): Promise<void> {
  for (const role of roles) await CODE[role]();
}

/** Roles that mail apps connect to. */
const MAIL_APPS: readonly ProcessRole[] = ['submission', 'imap', 'pop3'];
/** Roles that need a database connection outside the pool, for LISTEN or for locking mailboxes. */
const CONNECTED: readonly ProcessRole[] = ['worker', 'http', ...MAIL_APPS];
/** Roles that read mailboxes. `http` has the API of the web client. */
const SHOWS_MAIL: readonly ProcessRole[] = ['http', ...MAIL_APPS];

function beginPresence(
  assignment: Assignment,
  { database, pool, shared }: { database: Database; pool: LanePool; shared: SharedStatements },
  logger: Logger,
): Promise<Presence> {
  const { leaseId, name, roles, deadLeaseIds } = assignment;
  return Presence.begin({
    database,
    shared,
    processId: leaseId,
    name,
    roles,
    deadIds: deadLeaseIds,
    connections: () => pool.max + roles.filter((role) => CONNECTED.includes(role)).length,
    logger,
  });
}

/**
 * Starts the roles of one process. Disposing of the result finishes the work in flight and stops the roles.
 * @param others the other processes of this instance
 */
export async function startRoles(
  assignment: Assignment,
  config: Config,
  logger: Logger,
  others: OtherProcesses,
): Promise<RunningRoles> {
  const stack = new AsyncDisposableStack();
  const { roles } = assignment;
  stack.defer(flushSpans);
  let presence: Presence | null = null;
  const pool = new LanePool(assignment.databaseUrl, { onLost: () => presence?.poll() });
  const database = stack.adopt(openLane(pool, laneOptions('main', config)), (opened) => opened.destroy());
  const shared = new SharedStatements(database, {
    onFault: (error) => {
      if (!isDatabaseAway(error)) logger.warn({ err: error }, LOG_MESSAGES.statementsNotShared);
    },
  });
  const ports = noPorts();
  let worker: Worker | null = null;
  try {
    stack.use(new LogLevelWatch({ database, shared, logger, level: config.logLevel }));
    // `beginPresence` reads the database's clock and counts the processes. New ids contain that time, and rate limits are divided by that
    // count, so this call must come first.
    presence = stack.use(await beginPresence(assignment, { database, pool, shared }, logger));
    const core = stack.use(
      new BaseCore({
        config,
        database,
        pool,
        databaseUrl: assignment.databaseUrl,
        logger,
        processId: assignment.leaseId,
        presence,
        unseal: () => checkSecret(database, assignment.secret),
        baseUrl: () => ownUrl(config, ports.http ?? assignment.ports.http),
      }),
    );
    stack.use(markingHours(database, logger));
    const certificates = await openCertificates(core, roles);
    const context: RoleContext = { stack, core, assignment, config, logger, presence, shared, certificates };
    const readiness = new Readiness({
      database,
      logger,
      clock: presence,
      dataDir: config.databaseUrl === null ? config.dataDir : null,
    });
    // Roles end in reverse order. The listener of `/readyz` starts after all other listeners.
    if (roles.includes('smtp') && !isUsedBySmartHost(config)) {
      const { startSmtpRole } = await CODE.smtp();
      ports.smtp = await startSmtpRole(context);
    }
    let mail: MailServices | null = null;
    if (roles.some((role) => SHOWS_MAIL.includes(role))) {
      const { openMailServices } = await import('./mail-services.ts');
      mail = openMailServices(core);
      if (roles.includes('submission')) {
        const { startSubmissionRole } = await CODE.submission();
        Object.assign(ports, await startSubmissionRole(context, mail));
      }
      if (roles.includes('imap')) {
        const { startImapRole } = await CODE.imap();
        Object.assign(ports, await startImapRole(context, mail));
      }
      if (roles.includes('pop3')) {
        const { startPop3Role } = await CODE.pop3();
        Object.assign(ports, await startPop3Role(context, mail));
      }
    }
    if (roles.includes('status')) {
      const { startStatusRole } = await CODE.status();
      ports.http = await startStatusRole(context, others.figures, async () => {
        const reason = await readiness.whyNot();
        if (reason !== null) return reason;
        if (!others.listen()) return 'A mail port is not open.';
        const isIdle = roles.includes('worker') && worker?.isAtWork !== true;
        return worker?.whyNotSending ?? (isIdle ? 'The worker has no fresh heartbeat.' : null);
      });
    }
    if (roles.includes('http') && mail !== null) {
      const { startHttpRole } = await CODE.http();
      Object.assign(ports, await startHttpRole(context, { mail, readiness, otherFigures: others.figures }));
    }
    if (roles.includes('worker')) {
      const { startWorkerRole } = await CODE.worker();
      worker = await startWorkerRole(context);
    }
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
