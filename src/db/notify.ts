/**
 * Wakes workers and other listeners of a channel. NOTIFY is sent outside of write transactions, because inside a transaction it would take
 * a server-wide lock at commit. Many wakes are combined into one NOTIFY. If a wake is lost, the next poll finds the work.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { within } from '../concurrency/within.ts';
import { CONNECTION_BUDGET } from './connection-budget.ts';
import type { Database } from './database.ts';
import { DatabaseClient } from './database-client.ts';
import { TIMINGS } from './timings.ts';

const CHANNEL = 'posthorn_queue';
const COALESCE_MS = 10;
/** Keep-alive interval. The connection is silent most of the time, and firewalls silently drop idle connections. */
const KEEP_ALIVE_MS = 30_000;
/**
 * The maximum time that disposal waits for the server. A dead server does not close the connection, and a stopping worker still has mail in
 * flight.
 */
const CLOSE_TIMEOUT_MS = 500;

/** Wakes the workers immediately. */
export async function wakeQueue(database: Database): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, '')`.execute(database);
}

export class QueueNotifier {
  readonly #database: Database;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Wakes the workers soon. Repeated calls are combined into one wake. */
  readonly wake = (): void => {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // If the database is unavailable, polling finds the work later.
      wakeQueue(this.#database).catch(() => {});
    }, COALESCE_MS);
  };
}

/** Calls `onWake` for every wake until disposed. */
export function listenToQueue(url: string, onWake: () => void): AsyncDisposable {
  return listenTo(url, CHANNEL, { onNotice: onWake });
}

export interface Listener {
  onNotice(payload: string): void;
  /** Called when listening begins. Notices sent earlier, or while the connection was broken, are lost. */
  onListening?(): void;
}

/** Listens to a channel until disposed and reconnects after errors. @param channel a constant name */
export function listenTo(url: string, channel: string, listener: Listener): AsyncDisposable {
  return new Listening(url, channel, listener);
}

/**
 * One loop owns the connection: it connects, listens until the connection ends, pauses, and starts again. So there is never more than one
 * attempt, and never more than one timer for the next attempt.
 */
class Listening implements AsyncDisposable {
  readonly #url: string;
  readonly #channel: string;
  readonly #listener: Listener;
  readonly #closing = new AbortController();
  #client: DatabaseClient | null = null;

  constructor(url: string, channel: string, listener: Listener) {
    this.#url = url;
    this.#channel = channel;
    this.#listener = listener;
    void this.#run();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; ) {
      failures = (await this.#listen()) ? 0 : failures + 1;
      await this.#pause(failures);
    }
  }

  /** Resolves when the connection has ended. @returns whether the connection listened */
  async #listen(): Promise<boolean> {
    const client = new DatabaseClient({
      connectionString: this.#url,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      connectionTimeoutMillis: TIMINGS.connectTimeoutMs,
      query_timeout: TIMINGS.connectTimeoutMs,
      application_name: 'posthorn listen',
    });
    this.#client = client;
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
    client.on('notification', ({ payload }) => this.#listener.onNotice(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${this.#channel}`);
    } catch {
      void client.end().catch(() => {});
      return false;
    }
    this.#listener.onListening?.();
    await ended;
    return true;
  }

  /**
   * Pauses for a time that doubles with each failure and varies between processes, so that the processes do not all reconnect at once when
   * PostgreSQL is available again. The pause ends early when another connection of this process opens, but not before `listenPauseMs`: a
   * proxy may close only this connection and must not be dialed without a pause.
   */
  async #pause(failures: number): Promise<void> {
    const { listenPauseMs, listenMaxPauseMs } = TIMINGS;
    const longestMs = Math.min(listenPauseMs * 2 ** Math.max(failures - 1, 0), listenMaxPauseMs);
    const pauseMs = longestMs * (0.5 + Math.random() / 2);
    const leastMs = Math.min(pauseMs, listenPauseMs);
    const woken = new AbortController();
    using _watch = CONNECTION_BUDGET.onConnected(() => woken.abort());
    const signal = AbortSignal.any([this.#closing.signal, woken.signal]);
    await sleep(leastMs, undefined, { signal: this.#closing.signal }).catch(() => {});
    await sleep(pauseMs - leastMs, undefined, { signal }).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await within(CLOSE_TIMEOUT_MS, this.#client?.end().catch(() => {}) ?? Promise.resolve(), undefined);
  }
}
