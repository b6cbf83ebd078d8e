/** The child processes of the supervisor. */
import { ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Prepared } from '../app/app.ts';
import type { ProcessRole } from '../app/assignment.ts';
import type { OpenPorts, Ports } from '../app/ports.ts';
import { StartupError } from '../model/startup-error.ts';
import { newUuid } from '../model/ids.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import type { DatabaseWait, FromChild, ToChild } from './messages.ts';
import { TIMINGS } from './timings.ts';
import { Backoff } from './backoff.ts';
import type { SupervisorLog } from './terminal.ts';

const PROGRAM = fileURLToPath(new URL('child.ts', import.meta.url));
const QUICK_START = new URL('../quick-start.js', import.meta.url).href;
/**
 * Let V8's old generation start large. With the small default size, V8 collects it three times a second under load, until it has grown, and
 * each collection takes 10 ms of the main thread and 30 ms of another core.
 */
const FLAGS = [
  ...process.execArgv,
  '--expose-gc',
  '--initial-old-space-size=128',
  // On a machine with much memory, V8 lets the young generation of a busy process grow to 100 MB. This halves it, at the cost of twice as
  // many short collections (docs/decisions/0127-memory.md).
  '--max-semi-space-size=16',
  // `--import` also applies to the worker threads of the child.
  '--import',
  QUICK_START,
];
/**
 * By default, glibc gives each of ten threads an arena of its own, and arenas retain freed memory: 45 MB in an idle process that serves
 * HTTP. So allow only two arenas, and let them return free memory at their end to the system.
 */
const MALLOC = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '2000000',
  MALLOC_MMAP_THRESHOLD_: '1000000',
};

const IN_GOOD_ORDER = 'exit code 0';
/** How long to wait for a child's metrics. A child that takes longer is busy or stopped. */
const FIGURES_PATIENCE_MS = 2_000;

export interface ChildSettings {
  databaseUrl: string;
  secret: string;
  /** A port of 0 is replaced with the number that the system picks at the first start, so that later children use the same number. */
  ports: Ports;
}

/** The database connection was lost while the roles started. Another attempt may succeed. */
export class DatabaseLost extends StartupError {}

/**
 * Runs one child process at a time, and replaces it when it dies. The constructor starts the first child, which loads its program and
 * waits.
 */
export class Slot {
  readonly #name: string;
  readonly #roles: ProcessRole[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #logger: SupervisorLog;
  readonly #onFiguresRequest: () => void;
  readonly #onListening: () => void;
  readonly #stopping = new AbortController();
  #isReady = false;
  #run: Run;
  #deadLeaseIds: string[] = [];

  /**
   * @param onFiguresRequest called when the child requests the metrics of the other children. Reply with `sendFigures`
   * @param onListening called whenever `isListening` may have changed
   */
  constructor(
    name: string,
    roles: ProcessRole[],
    env: NodeJS.ProcessEnv,
    logger: SupervisorLog,
    onFiguresRequest: (requester: Slot) => void,
    onListening: () => void,
  ) {
    this.#name = name;
    this.#roles = roles;
    this.#env = env;
    this.#logger = logger;
    this.#onFiguresRequest = () => onFiguresRequest(this);
    this.#onListening = onListening;
    this.#run = new Run(roles, env, this.#onFiguresRequest);
  }

  /**
   * Resolves when the database is available and migrated.
   * @param onWait called each time the child finds the database unavailable
   * @throws StartupError
   */
  prepare(settings: ChildSettings, onWait: (wait: DatabaseWait) => void): Promise<Prepared> {
    return this.#run.ask({ kind: 'prepare', ...settings }, 'prepared', onWait);
  }

  /**
   * Resolves when the roles are running.
   * @throws DatabaseLost
   * @throws StartupError
   */
  async start(settings: ChildSettings): Promise<OpenPorts> {
    const { leaseId } = this.#run;
    const assignment = {
      ...settings,
      name: this.#name,
      roles: this.#roles,
      leaseId,
      deadLeaseIds: this.#deadLeaseIds,
    };
    const { ports } = await this.#run.ask({ kind: 'start', assignment }, 'ready');
    this.#deadLeaseIds = [];
    this.#setReady(true);
    return ports;
  }

  /** Ends the child and starts a new child, so that `prepare` and `start` can be called again. Do not call this after `keep`. */
  async restart(): Promise<void> {
    const run = this.#run;
    const timer = setTimeout(() => run.kill(), TIMINGS.childrenPatienceMs);
    run.send({ kind: 'stop' });
    const how = await run.ended;
    clearTimeout(timer);
    if (this.#stopping.signal.aborted) return;
    if (how !== IN_GOOD_ORDER) this.#deadLeaseIds.push(run.leaseId);
    this.#setReady(false);
    this.#run = new Run(this.#roles, this.#env, this.#onFiguresRequest);
  }

  #setReady(isReady: boolean): void {
    this.#isReady = isReady;
    this.#onListening();
  }

  /** Whether the child listens on every port of its roles. */
  get isListening(): boolean {
    return this.#isReady || !this.#roles.some((role) => role === 'http' || role === 'smtp');
  }

  /** @param all whether all other children are listening */
  notifyListening(all: boolean): void {
    this.#run.send({ kind: 'others-listen', all });
  }

  /** Restarts the child whenever it dies. Resolves after `stop`. */
  async keep(settings: ChildSettings): Promise<void> {
    const { signal } = this.#stopping;
    const logger = this.#logger;
    for (const backoff = new Backoff(); ; ) {
      const how = await this.#run.ended;
      this.#setReady(false);
      if (signal.aborted) return;
      const waitMs = backoff.nextMs(Date.now() - this.#run.startedAt);
      logger.warn({ of: this.#roles, how, nextInMs: waitMs }, LOG_MESSAGES.processEnded);
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      // The child has certainly ended, so its queue rows may be claimed by others before its lease expires. A child that exited normally is
      // left out: it has already released its rows, except those that must stay claimed until then.
      if (how !== IN_GOOD_ORDER) this.#deadLeaseIds.push(this.#run.leaseId);
      this.#run = new Run(this.#roles, this.#env, this.#onFiguresRequest);
      this.start(settings).catch(({ message }: Error) =>
        logger.warn({ of: this.#roles, reason: message }, LOG_MESSAGES.processNotStarted),
      );
    }
  }

  /** @returns the child's metrics; null if it has none, or does not reply within two seconds */
  figures(): Promise<string | null> {
    return this.#run.figures();
  }

  sendFigures(figures: string[], missing: number): void {
    this.#run.send({ kind: 'figures-of-others', figures, missing });
  }

  /** Makes the child finish its work in flight and exit. Resolves when the child has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#run.send({ kind: 'stop' });
    await this.#run.ended;
  }

  kill(): void {
    this.#stopping.abort();
    this.#run.kill();
  }
}

/**
 * Starts a child. If the system cannot start another process, for example for lack of memory, returns one that emits the error and never
 * runs.
 */
function forkChild(env: NodeJS.ProcessEnv): ChildProcess {
  try {
    return fork(PROGRAM, { env: { ...MALLOC, ...env }, execArgv: FLAGS });
  } catch (error) {
    const none = new ChildProcess();
    process.nextTick(() => none.emit('error', error));
    return none;
  }
}

/** One child process from its start to its end. `leaseId` is the first lease of its worker. */
class Run {
  readonly leaseId = newUuid();
  readonly startedAt = Date.now();
  /** Resolves with the exit code or the signal. */
  readonly ended: Promise<string>;
  readonly #process: ChildProcess;

  constructor(roles: ProcessRole[], env: NodeJS.ProcessEnv, onFiguresRequest: () => void) {
    this.#process = forkChild(env);
    this.#process.on('message', ({ kind }: FromChild) => {
      if (kind === 'request-figures') onFiguresRequest();
    });
    this.ended = new Promise((resolve) => {
      this.#process.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
      this.#process.once('error', (error) => resolve(error.message));
    });
    this.send({ kind: 'load', roles });
  }

  /** @throws StartupError if the child reports a failure or ends */
  ask<K extends FromChild['kind']>(
    order: ToChild,
    answer: K,
    onWait: (wait: DatabaseWait) => void = () => {},
  ): Promise<Extract<FromChild, { kind: K }>> {
    return new Promise((resolve, reject) => {
      // Ignore the messages that Node itself sends over the channel: in watch mode, children report their imports.
      const listen = (report: FromChild) => {
        if (report.kind === answer) resolve(report as Extract<FromChild, { kind: K }>);
        else if (report.kind === 'failed')
          reject(new StartupError(report.message, { exitCode: report.exitCode }));
        else if (report.kind === 'lost-database')
          reject(new DatabaseLost(`The database cannot be used: ${report.detail}`));
        else {
          if (report.kind === 'waits') onWait(report);
          return;
        }
        this.#process.off('message', listen);
      };
      this.#process.on('message', listen);
      void this.ended.then((how) =>
        reject(new StartupError(`A process of the service ended while starting (${how}).`)),
      );
      this.send(order);
    });
  }

  async figures(): Promise<string | null> {
    const child = this.#process;
    if (!child.connected) return null;
    const signal = AbortSignal.timeout(FIGURES_PATIENCE_MS);
    const reports = on(child, 'message', { signal, close: ['exit'] }) as AsyncIterable<[FromChild]>;
    this.send({ kind: 'report-figures' });
    try {
      for await (const [report] of reports) if (report.kind === 'figures') return report.figures;
    } catch {
      // The child did not report its metrics in time.
    }
    return null;
  }

  send(order: ToChild): void {
    // Do not send to a child that has ended. Callers notice the end by `ended`.
    if (this.#process.connected) this.#process.send(order, () => {});
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }
}
