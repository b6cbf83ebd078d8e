/**
 * Locks on names across all processes and machines: advisory locks of one connection. The locks are released as soon as PostgreSQL notices
 * the end of the connection, however the process ended.
 */
import type pg from 'pg';
import { within } from '../concurrency/within.ts';
import { TIMINGS } from './timings.ts';
import { DatabaseClient } from './database-client.ts';

/**
 * Keep-alive times on the server side, in seconds. A machine that loses power does not close its connections, so PostgreSQL must detect
 * that the machine is gone.
 */
const SET_KEEP_ALIVE =
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3';

const KEEP_ALIVE_MS = 30_000;
/** The maximum time that disposal waits for the server. A dead server does not close the connection. */
const CLOSE_TIMEOUT_MS = 500;

/** A locked name. Disposing the `LockedName` releases the name. */
export interface LockedName extends AsyncDisposable {
  /** Aborted when the connection is lost. Another process may lock the name from then on. */
  readonly lost: AbortSignal;
}

interface Session {
  client: pg.Client;
  /** The pending queries. The next query waits for them, because a client runs one query at a time. */
  pending: Promise<unknown>;
  lost: AbortController;
}

export class NameLocks implements AsyncDisposable {
  readonly #url: string;
  /**
   * Names that this process has locked or is locking. Needed because PostgreSQL would grant the same session the same lock a second time.
   */
  readonly #names = new Set<string>();
  #session: Promise<Session> | null = null;

  /** @param url a database URL without a transaction pooler. `NameLocks` connects when the first name is locked */
  constructor(url: string) {
    this.#url = url;
  }

  /** @returns null if the name is already locked @throws if the database is unavailable */
  async take(name: string): Promise<LockedName | null> {
    if (this.#names.has(name)) return null;
    this.#names.add(name);
    try {
      const session = await (this.#session ??= this.#open());
      if (await this.#query(session, 'select pg_try_advisory_lock(hashtextextended($1, 0)) as yes', name))
        return { lost: session.lost.signal, [Symbol.asyncDispose]: () => this.#release(session, name) };
    } catch (error) {
      this.#names.delete(name);
      throw error;
    }
    this.#names.delete(name);
    return null;
  }

  async #release(session: Session, name: string): Promise<void> {
    if (!session.lost.signal.aborted)
      await this.#query(session, 'select pg_advisory_unlock(hashtextextended($1, 0)) as yes', name).catch(
        () => {},
      );
    this.#names.delete(name);
  }

  /** Runs a lock query. If the response is lost, the state of the lock is unknown, so the session ends, which releases all of its locks. */
  async #query(session: Session, query: string, name: string): Promise<boolean> {
    const response = session.pending.then(() => session.client.query<{ yes: boolean }>(query, [name]));
    session.pending = response.catch(() => {});
    try {
      const { rows } = await response;
      return rows[0]?.yes === true;
    } catch (error) {
      this.#end(session);
      throw error;
    }
  }

  async #open(): Promise<Session> {
    const client = new DatabaseClient({
      connectionString: this.#url,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      connectionTimeoutMillis: TIMINGS.connectTimeoutMs,
      query_timeout: TIMINGS.silenceTimeoutMs,
      application_name: 'posthorn names',
    });
    const session: Session = { client, pending: Promise.resolve(), lost: new AbortController() };
    client.on('error', () => {});
    client.once('end', () => this.#end(session));
    try {
      await client.connect();
      await client.query(SET_KEEP_ALIVE);
      return session;
    } catch (error) {
      this.#end(session);
      throw error;
    }
  }

  #end(session: Session): void {
    if (session.lost.signal.aborted) return;
    session.lost.abort();
    this.#session = null;
    void session.client.end().catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const session = await this.#session?.catch(() => null);
    if (session === null || session === undefined) return;
    await within(
      CLOSE_TIMEOUT_MS,
      session.client.end().catch(() => {}),
      undefined,
    );
    this.#end(session);
  }
}
