/**
 * Names that one holder at a time has, over all processes and machines: advisory locks of one connection. They are free as soon as PostgreSQL
 * sees that the connection is over, whatever became of the process.
 */
import type pg from 'pg';
import { within } from '../concurrency/within.ts';
import { TIMINGS } from './timings.ts';
import { DatabaseClient } from './database-client.ts';

/** In seconds: a machine that lost its power closes no connection. */
const SET_KEEP_ALIVE =
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3';

const KEEP_ALIVE_MS = 30_000;
/** A dead server does not close the connection. */
const GOODBYE_MS = 500;

/** Disposing gives the name back. */
export interface LockedName extends AsyncDisposable {
  /** Aborted when the connection was lost, and another one may have the name. */
  readonly lost: AbortSignal;
}

interface Session {
  client: pg.Client;
  /** A client answers one query after the other. */
  asking: Promise<unknown>;
  lost: AbortController;
}

export class NameLocks implements AsyncDisposable {
  readonly #url: string;
  /** Those that this process has, or asks for: a connection gets a lock that it has once more. */
  readonly #names = new Set<string>();
  #session: Promise<Session> | null = null;

  /** @param url of the database, where a connection is a session. None is opened before the first name */
  constructor(url: string) {
    this.#url = url;
  }

  /** @returns null: somebody else has it @throws where the database is away */
  async take(name: string): Promise<LockedName | null> {
    if (this.#names.has(name)) return null;
    this.#names.add(name);
    try {
      const session = await (this.#session ??= this.#open());
      if (await this.#ask(session, 'select pg_try_advisory_lock(hashtextextended($1, 0)) as yes', name))
        return { lost: session.lost.signal, [Symbol.asyncDispose]: () => this.#giveBack(session, name) };
    } catch (error) {
      this.#names.delete(name);
      throw error;
    }
    this.#names.delete(name);
    return null;
  }

  async #giveBack(session: Session, name: string): Promise<void> {
    if (!session.lost.signal.aborted)
      await this.#ask(session, 'select pg_advisory_unlock(hashtextextended($1, 0)) as yes', name).catch(
        () => {},
      );
    this.#names.delete(name);
  }

  /** Nobody knows what an answer would have been that did not come: the session ends, and all that it has is free. */
  async #ask(session: Session, query: string, name: string): Promise<boolean> {
    const answer = session.asking.then(() => session.client.query<{ yes: boolean }>(query, [name]));
    session.asking = answer.catch(() => {});
    try {
      const { rows } = await answer;
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
    const session: Session = { client, asking: Promise.resolve(), lost: new AbortController() };
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
      GOODBYE_MS,
      session.client.end().catch(() => {}),
      undefined,
    );
    this.#end(session);
  }
}
