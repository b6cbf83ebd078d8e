/** A connection of a pool. */
import { DatabaseClient } from './database-client.ts';
import type { SessionSettings } from './session-settings.ts';
import { TIMINGS } from './timings.ts';

/** A pooled connection that prepares each statement once per session settings. */
export class PooledClient extends DatabaseClient {
  /** Null before the session is set up. */
  settings: SessionSettings | null = null;
  /** Returns the connection to the pool. The pool sets this function each time that it hands the connection out. */
  release: (error?: Error | boolean) => void = () => {};

  /** Applies the settings unless the session already has them. */
  async use(settings: SessionSettings): Promise<void> {
    if (this.settings === settings) return;
    this.settings = null;
    const set: Promise<unknown> = this.query(settings.sql);
    await set;
    this.settings = settings;
  }

  // `never` is compatible with all overloads that pg declares for this method.
  override query(...args: unknown[]): never {
    const [text, values, ...rest] = args;
    const query = super.query.bind(this) as (...args: unknown[]) => unknown;
    if (typeof text !== 'string' || !Array.isArray(values) || this.settings === null)
      return query(...args) as never;
    return query({ name: this.settings.nameOf(text), text, values }, ...rest) as never;
  }
}

/** Closes a connection on which no response arrives, because a machine that has failed reports no error. */
export class WatchedClient extends PooledClient {
  override query(...args: unknown[]): never {
    const result: unknown = super.query(...args);
    if (!(result instanceof Promise)) return result as never;
    const watchdog = setTimeout(() => {
      this.connection.stream.destroy(new Error('Connection terminated: no answer'));
    }, TIMINGS.silenceTimeoutMs);
    return result.finally(() => clearTimeout(watchdog)) as never;
  }
}
