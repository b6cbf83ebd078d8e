/**
 * Wakes the workers, and whoever listens to a channel. A NOTIFY inside a write transaction would take a lock of the whole server at its commit, so it is sent
 * by itself, and many wakes become one. A lost wake costs no more than the pause between two polls.
 */
import { sql } from 'kysely';
import pg from 'pg';
import { within } from '../model/within.ts';
import type { Database } from './database.ts';

const CHANNEL = 'posthorn_queue';
const COALESCE_MS = 10;
const RECONNECT_MS = 1_000;
/** A server that does not take the connection, or does not begin to notify, within this is away. */
const ANSWER_TIMEOUT_MS = 3_000;
/** The connection is silent most of the time, and firewalls drop silent connections without a word. */
const KEEP_ALIVE_MS = 30_000;
/** A dead server does not close the connection, and a worker that stops has mail in flight. */
const GOODBYE_MS = 500;

/** There is work: once, and now. */
export async function wakeQueue(database: Database): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, '')`.execute(database);
}

export class QueueNotifier {
  readonly #database: Database;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** There is work. Costs next to nothing to say again and again. */
  readonly wake = (): void => {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // When the database is away the workers find the work by polling.
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
  /** It listens from now on. What was said before, or while the connection was broken, is lost. */
  onListening?(): void;
}

/** Listens to a channel until disposed. A broken connection is opened again. @param channel a name of ours */
export function listenTo(url: string, channel: string, listener: Listener): AsyncDisposable {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let disposed = false;

  const again = (): void => {
    client = undefined;
    if (!disposed) timer = setTimeout(() => void connect(), RECONNECT_MS);
  };
  const connect = async (): Promise<void> => {
    const opening = new pg.Client({
      connectionString: url,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      application_name: 'posthorn listen',
    });
    client = opening;
    opening.on('error', () => {});
    opening.on('notification', ({ payload }) => listener.onNotice(payload ?? ''));
    opening.once('end', again);
    try {
      await opening.connect();
      await opening.query(`listen ${channel}`);
      listener.onListening?.();
    } catch {
      // 'end' follows when a connection existed; without one there is nothing to wait for.
      opening.removeListener('end', again);
      void opening.end().catch(() => {});
      again();
    }
  };
  void connect();
  return {
    async [Symbol.asyncDispose]() {
      disposed = true;
      clearTimeout(timer);
      await within(GOODBYE_MS, client?.end().catch(() => {}) ?? Promise.resolve(), undefined);
    },
  };
}
