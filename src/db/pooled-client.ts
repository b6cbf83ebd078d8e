/** A connection of a pool. */
import { DatabaseClient } from './database-client.ts';
import type { SessionSettings } from './session-settings.ts';
import { TIMINGS } from './timings.ts';

/** Prepares each statement once, under the settings that its session has. */
export class PooledClient extends DatabaseClient {
  /** Null: none yet. */
  settings: SessionSettings | null = null;
  /** Its user has done with it. The pool sets this each time that it hands the connection out. */
  release: (error?: Error | boolean) => void = () => {};

  /** Sets the session up, unless it is. */
  async use(settings: SessionSettings): Promise<void> {
    if (this.settings === settings) return;
    this.settings = null;
    const set: Promise<unknown> = this.query(settings.sql);
    await set;
    this.settings = settings;
  }

  // `never` fits all of the overloads that pg gives this method.
  override query(...args: unknown[]): never {
    const [text, values, ...rest] = args;
    const query = super.query.bind(this) as (...args: unknown[]) => unknown;
    if (typeof text !== 'string' || !Array.isArray(values) || this.settings === null)
      return query(...args) as never;
    return query({ name: this.settings.nameOf(text), text, values }, ...rest) as never;
  }
}

/** Gives up a connection on which nothing comes back: a machine that is gone sends no time-out of its own. */
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
