/**
 * Chooses one of several database hosts: the last used host while it accepts connections, otherwise the first host that accepts
 * connections.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from './connection-budget.ts';
import type { Host } from './connection-url.ts';
import { TIMINGS } from './timings.ts';

/** @throws if the host cannot be used */
type Probe = (host: Host) => Promise<void>;

export class HostChoice {
  readonly #hosts: readonly Host[];
  readonly #probe: Probe;
  #current: Host | null = null;
  #finding: Promise<Host> | null = null;

  /** @param probe connects to one host and checks that the host can be used */
  constructor(hosts: readonly Host[], probe: Probe) {
    this.#hosts = hosts;
    this.#probe = probe;
  }

  /**
   * Finds a host that can be used. Concurrent callers share the result.
   * @throws DatabaseUnavailable if no host can be used; the message has the reason for each host
   */
  find(): Promise<Host> {
    if (this.#current !== null) return Promise.resolve(this.#current);
    this.#finding ??= this.#probeAll().finally(() => {
      this.#finding = null;
    });
    return this.#finding;
  }

  /** Makes the next connection choose a host again, if `host` is the current choice. */
  forget(host: Host): void {
    if (this.#current === host) this.#current = null;
  }

  /** Probes the hosts in order. A host that does not respond delays the next probe only briefly. */
  async #probeAll(): Promise<Host> {
    const decided = new AbortController();
    let before: Promise<unknown> = Promise.resolve();
    const attempts = this.#hosts.map((host) => {
      const start = before;
      const attempt = (async () => {
        await start;
        decided.signal.throwIfAborted();
        await this.#probe(host);
        return host;
      })();
      before = Promise.race([
        attempt.then(
          () => decided.abort(),
          () => {},
        ),
        start.then(() => sleep(TIMINGS.nextHostMs, undefined, { signal: decided.signal })).catch(() => {}),
      ]);
      return attempt;
    });
    try {
      this.#current = await Promise.any(attempts);
      return this.#current;
    } catch (error) {
      throw this.#noneServes(error as AggregateError);
    } finally {
      decided.abort();
    }
  }

  #noneServes({ errors }: AggregateError): DatabaseUnavailable {
    const reasons = this.#hosts.map(({ host, port }, at) => {
      const { message, code } = errors[at] as NodeJS.ErrnoException;
      return `${host}:${port}: ${message === '' ? code : message}`;
    });
    return new DatabaseUnavailable(`No host of the database can be used. ${reasons.join('; ')}`, {
      cause: errors.at(0),
    });
  }
}
