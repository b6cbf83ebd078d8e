/**
 * The supervisor starts the other processes of the service and restarts them when they die: the embedded PostgreSQL, and the children with
 * the roles. It has no other work and loads no library, so it stays small and rarely fails.
 */
import { availableParallelism, constants } from 'node:os';
import type { Config } from '../app/config.ts';
import { configuredPorts, mergeOpenPorts, type OpenPorts, replacementPorts } from '../app/ports.ts';
import { lockForServer, openDataFolder } from '../installation/embedded/data-folder.ts';
import type { Prepared } from '../app/app.ts';
import { StartupError } from '../model/startup-error.ts';
import { VERSION } from '../model/version.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { banner, firstKey, pausedNotice } from './banner.ts';
import { SupervisedPostgres } from './supervised-postgres.ts';
import type { DatabaseWait } from './messages.ts';
import { nameProcesses, planProcesses } from './plan-processes.ts';
import { checkPorts } from './ports.ts';
import { releaseStartMemory } from './release-memory.ts';
import { print, SupervisorLog } from './terminal.ts';
import { secretOfFolder } from './secret.ts';
import { DatabaseLost, Slot, type ChildSettings } from './slot.ts';
import { TIMINGS } from './timings.ts';
import type { NotReadyServer } from './not-ready-server.ts';

/**
 * Under npm, one Ctrl-C causes two signals, from the terminal and from npm. A second signal within this time is therefore not taken for the
 * order to stop at once.
 */
const SAME_SIGNAL_MS = 100;

/**
 * Runs the service until SIGTERM or SIGINT. At the signal, the service finishes its work in flight, for at most 10 s. At a second signal,
 * it ends at once.
 * @param announce returns the text to print when the service is ready
 * @returns the exit code. If the service could not start: 78 if the configuration has to change before the next start, otherwise 1
 */
export async function supervise(config: Config, announce = banner): Promise<number> {
  const logger = new SupervisorLog(config.logLevel);
  const service = new Service(config, logger, announce);
  const stopRequested = onStopSignal(() => service.kill());
  try {
    const signal = await Promise.race([service.start().then(() => stopRequested), stopRequested]);
    const stoppingAt = Date.now();
    logger.info({ signal }, LOG_MESSAGES.stopping);
    await service.stop();
    logger.info({ durationMs: Date.now() - stoppingAt }, LOG_MESSAGES.stopped);
    return 0;
  } catch (error) {
    print(error instanceof StartupError ? error.message : String((error as Error).stack));
    await service.stop();
    return error instanceof StartupError ? error.exitCode : 1;
  }
}

/**
 * Resolves at the first signal.
 * @param killAll called at the second signal, before the process exits
 */
function onStopSignal(killAll: () => void): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAtMs: number | null = null;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        const nowMs = performance.now();
        firstAtMs ??= nowMs;
        resolve(signal);
        if (nowMs - firstAtMs < SAME_SIGNAL_MS) return;
        killAll();
        process.exit(128 + constants.signals[signal]);
      });
    }
  });
}

/** @throws the error, unless the database connection was lost */
function nullIfLost(error: unknown): null {
  if (error instanceof DatabaseLost) return null;
  throw error;
}

class Service {
  readonly #config: Config;
  readonly #logger: SupervisorLog;
  readonly #announce: typeof banner;
  #slots: Slot[] = [];
  #postgres: SupervisedPostgres | null = null;
  /** Serves the API's port while the database is unavailable. Null if the port could not be opened. */
  #notReadyServer: Promise<NotReadyServer | null> | undefined;
  /** The lock of the data folder. This reference prevents garbage collection, which would release the lock. */
  #lock: Disposable | null = null;

  constructor(config: Config, logger: SupervisorLog, announce: typeof banner) {
    this.#config = config;
    this.#logger = logger;
    this.#announce = announce;
  }

  /**
   * Resolves when PostgreSQL and all roles are running.
   * @throws StartupError
   */
  async start(): Promise<void> {
    const config = this.#config;
    const logger = this.#logger;
    const startedAt = Date.now();
    const settings: ChildSettings = {
      databaseUrl: config.databaseUrl ?? '',
      secret: config.secret ?? '',
      ports: configuredPorts(config),
    };
    const dataDir = config.databaseUrl === null ? openDataFolder(config.dataDir) : null;
    if (dataDir !== null) this.#lock = await lockForServer(dataDir);
    await checkPorts(config);
    logger.info({ version: VERSION }, LOG_MESSAGES.starting);
    if (dataDir !== null) {
      settings.secret ||= secretOfFolder(dataDir);
      this.#postgres = new SupervisedPostgres(dataDir, logger);
    }
    // Start the children now, so that they load their program while PostgreSQL starts.
    const planned = planProcesses(config.roles, availableParallelism());
    const names = nameProcesses(planned);
    this.#slots = planned.map(
      (roles, at) =>
        new Slot(
          names[at] as string,
          roles,
          process.env,
          logger,
          (requester) => void this.#gatherFigures(requester),
          () => this.#notifyListening(),
        ),
    );
    if (this.#postgres !== null) settings.databaseUrl = await this.#postgres.url();
    const { prepared, ports } = await this.#startRoles(settings);
    const firstStart = prepared?.firstStart ?? null;
    const open = mergeOpenPorts(ports);
    logger.info({ durationMs: Date.now() - startedAt }, LOG_MESSAGES.ready);
    process.stdout.write(this.#announce(config, open, firstStart, prepared?.welcomeToken ?? null));
    if (prepared?.pausedSince) process.stdout.write(pausedNotice(prepared.pausedSince));
    settings.ports = replacementPorts(open, settings.ports);
    for (const slot of this.#slots) void slot.keep(settings);
    void this.#postgres?.keep();
    setImmediate(releaseStartMemory);
  }

  /**
   * Prepares the database and starts the roles. If the database connection is lost meanwhile, starts over once the database is available
   * again.
   * @throws StartupError
   */
  async #startRoles(
    settings: ChildSettings,
  ): Promise<{ prepared: Prepared | undefined; ports: OpenPorts[] }> {
    let firstStart: Prepared['firstStart'] = null;
    for (;;) {
      const prepared = await this.#prepare(settings);
      firstStart ??= prepared?.firstStart ?? null;
      const starts = this.#slots.map((slot) => slot.start(settings).catch(nullIfLost));
      const ports = await Promise.all(starts).catch((error: unknown) => {
        // Print the key although the start failed. It is already in the database, so the next start would not create one, and could not
        // print this one.
        if (firstStart !== null) process.stdout.write(`${firstKey(firstStart)}\n`);
        throw error;
      });
      if (ports.every((each) => each !== null))
        return { prepared: prepared && { ...prepared, firstStart }, ports };
      await Promise.all(this.#slots.map((slot) => slot.restart()));
    }
  }

  /**
   * Prepares the database. While it is unavailable, answers health probes, so that no orchestrator restarts the service because it is
   * waiting.
   */
  async #prepare(settings: ChildSettings): Promise<Prepared | undefined> {
    let reported: DatabaseWait | null = null;
    const onWait = (wait: DatabaseWait) => {
      if (wait.detail !== reported?.detail)
        this.#logger.warn({ reason: wait.reason, detail: wait.detail }, LOG_MESSAGES.databaseAwaited);
      reported = wait;
      this.#notReadyServer ??= this.#openNotReadyServer(settings.ports.http, () => reported?.reason ?? '');
    };
    // The last child is a worker, which has less code to load than the children that listen on ports.
    const prepared = await this.#slots.at(-1)?.prepare(settings, onWait);
    const notReadyServer = await this.#notReadyServer;
    if (notReadyServer === undefined || notReadyServer === null) return prepared;
    // If the system picked the port, the API must later get the same one, because health probes already use it.
    settings.ports.http = notReadyServer.port;
    await notReadyServer[Symbol.asyncDispose]();
    this.#notReadyServer = undefined;
    return prepared;
  }

  async #openNotReadyServer(port: number, reason: () => string): Promise<NotReadyServer | null> {
    // The server is loaded only when needed, to keep the supervisor small.
    const { openNotReadyServer } = await import('./not-ready-server.ts');
    return openNotReadyServer({ addresses: this.#config.listen, port }, reason).catch((error: Error) => {
      this.#logger.warn({ reason: error.message }, LOG_MESSAGES.probesNotAnswered);
      return null;
    });
  }

  async stop(): Promise<void> {
    const startedAt = Date.now();
    const timer = setTimeout(() => this.#killChildren(), TIMINGS.childrenPatienceMs);
    await Promise.all(this.#slots.map((slot) => slot.stop()));
    clearTimeout(timer);
    await (await this.#notReadyServer)?.[Symbol.asyncDispose]();
    await this.#postgres?.stop(TIMINGS.patienceMs - (Date.now() - startedAt));
    this.#lock?.[Symbol.dispose]();
  }

  /** Kills the children and PostgreSQL without waiting for them to end. */
  kill(): void {
    this.#killChildren();
    this.#postgres?.kill();
  }

  async #gatherFigures(requester: Slot): Promise<void> {
    const others = this.#slots.filter((slot) => slot !== requester);
    const answers = await Promise.all(others.map((slot) => slot.figures()));
    const figures = answers.filter((each) => each !== null);
    requester.sendFigures(figures, answers.length - figures.length);
  }

  #notifyListening(): void {
    for (const slot of this.#slots)
      slot.notifyListening(this.#slots.every((other) => other === slot || other.isListening));
  }

  #killChildren(): void {
    for (const slot of this.#slots) slot.kill();
  }
}
