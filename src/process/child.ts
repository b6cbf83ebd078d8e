/**
 * A process that runs roles. The process executes its supervisor's orders and exits when the supervisor exits. After SIGTERM, this process
 * finishes its work in flight and exits, and the supervisor starts another in its place.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type FirstStartMemo,
  loadRoles,
  prepare,
  type Prepared,
  type RunningRoles,
  startRoles,
} from '../app/app.ts';
import type { Assignment, ProcessRole } from '../app/assignment.ts';
import { readConfig } from '../app/config.ts';
import { describeFault } from '../db/durable-write.ts';
import { StartupError } from '../model/startup-error.ts';
import { createLogger } from '../app/logger.ts';
import type { OtherFigures } from '../metrics/exposition.ts';
import { within } from '../concurrency/within.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { measureProcess, registry } from '../observe/registry.ts';
import { releaseMemory } from './release-memory.ts';
import type { FromChild, ToChild } from './messages.ts';
import { portError } from './ports.ts';
import { canBeWaitedFor, databaseFault, reasonOf } from './start-fault.ts';
import { TIMINGS } from './timings.ts';

/** The time limit for collecting the metrics of all other children. Must be longer than the supervisor's time limit for each child. */
const FIGURES_PATIENCE_MS = 3_000;

/** How long after the start its garbage is collected. Short, because mail that is sent after a collection takes more processor time. */
const START_GARBAGE_MS = 200;

const config = readConfig(process.env);
let roles: ProcessRole[] = [];
let logger: ReturnType<typeof createLogger> | null = null;
let running: Promise<RunningRoles> | null = null;
let stopping = false;
/** Whether all other children that have a port are listening, as reported by the supervisor. */
let othersListen = false;
let onOtherFigures: (others: OtherFigures) => void = () => {};

async function execute(order: ToChild): Promise<void> {
  if (order.kind === 'stop') return stop();
  if (order.kind === 'load') return loadRoles(order.roles);
  if (order.kind === 'start') return start(order.assignment);
  if (order.kind === 'report-figures') return sendFigures();
  if (order.kind === 'others-listen') {
    othersListen = order.all;
    return;
  }
  if (order.kind === 'figures-of-others') return onOtherFigures(order);
  send({ kind: 'prepared', ...(await prepareWhenThere(order.databaseUrl, order.secret)) });
}

/**
 * Prepares the database. While a database on another host is unavailable, for example because it starts or fails over, tries again. (The
 * embedded database is already running.)
 */
async function prepareWhenThere(databaseUrl: string, secret: string): Promise<Prepared> {
  const isEmbedded = config.databaseUrl === null;
  const memo: FirstStartMemo = {};
  for (let tries = 1; ; tries += 1) {
    try {
      return await prepare(databaseUrl, secret, config, memo);
    } catch (error) {
      if (isEmbedded || !canBeWaitedFor(error)) throw databaseFault(error, isEmbedded);
      send({ kind: 'waits', reason: describeFault(error), detail: reasonOf(error) });
    }
    const longestMs = TIMINGS.databaseWaitsMs[tries - 1] ?? TIMINGS.databaseWaitsMs.at(-1) ?? 0;
    await sleep(longestMs * (0.5 + Math.random() / 2));
  }
}

async function start(assignment: Assignment): Promise<void> {
  if (stopping) return;
  ({ roles } = assignment);
  process.title = `posthorn: ${roles.join(', ')}`;
  const { name } = assignment;
  measureProcess(name);
  logger = createLogger(roles, config.logLevel);
  logger.info({ name }, LOG_MESSAGES.starting);
  running = startRoles(assignment, config, logger, { figures: otherFigures, listen: () => othersListen });
  const started = await running.catch(endWithoutDatabase);
  if (started === null) return;
  const { ports } = started;
  logger.info({ name }, LOG_MESSAGES.ready);
  send({ kind: 'ready', ports });
  // Loading the modules has left garbage, which takes a third of this process's memory. Collecting it blocks the event loop, so answer the
  // first health probes before.
  setTimeout(releaseMemory, START_GARBAGE_MS).unref();
}

/**
 * Ends this process, which has started only some of its roles. The supervisor waits for the database and starts another process.
 * @throws the error if waiting for the database does not help
 */
function endWithoutDatabase(error: unknown): null {
  if (config.databaseUrl === null || !canBeWaitedFor(error)) throw error;
  const detail = reasonOf(error);
  logger?.warn({ reason: detail }, LOG_MESSAGES.databaseLost);
  send({ kind: 'lost-database', reason: describeFault(error), detail }, () => process.exit(1));
  return null;
}

async function sendFigures(): Promise<void> {
  // If the metrics cannot be read, the process must keep running.
  const figures = running === null ? null : await registry.metrics().catch(() => null);
  send({ kind: 'figures', figures });
}

/** Requests the metrics of the other children from the supervisor, because only it has a channel to each of them. */
function otherFigures(): Promise<OtherFigures> {
  const { promise, resolve } = Promise.withResolvers<OtherFigures>();
  onOtherFigures = resolve;
  send({ kind: 'request-figures' });
  return within(FIGURES_PATIENCE_MS, promise, { figures: [], missing: 1 });
}

async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  const stoppingAt = Date.now();
  logger?.info({}, LOG_MESSAGES.stopping);
  const started = await running?.catch(() => null);
  await started?.[Symbol.asyncDispose]();
  logger?.info({ durationMs: Date.now() - stoppingAt }, LOG_MESSAGES.stopped);
  process.exit(0);
}

function send(message: FromChild, sent: () => void = () => {}): void {
  process.send?.(message, sent);
}

function fail(error: unknown): void {
  const known = error instanceof StartupError ? error : portError(error, config);
  if (known === null) crash(error);
  const { message, exitCode } = known;
  send({ kind: 'failed', message, exitCode }, () => process.exit(1));
}

/** Ends the process after an error that no code expects, because its state is unknown. */
function crash(error: unknown): never {
  logger ??= createLogger(roles, config.logLevel);
  logger.fatal({ err: error }, LOG_MESSAGES.processFailed);
  process.exit(1);
}

process.on('uncaughtException', crash);
// Ctrl-C in a terminal signals every process of the service, but only the supervisor decides when to stop.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => void stop().catch(fail));
process.on('message', (order: ToChild) => void execute(order).catch(fail));
process.on('disconnect', () => process.exit(1));
// There is no channel if the supervisor exited before the listener above was added, or if this process was started only to fill the compile
// cache.
if (!process.connected) process.exit(1);
