import type { HostConnection } from './host-connection.ts';

interface Waiting {
  /** Whether it has no connection. */
  readonly hasNone: boolean;
  grow(): void;
}

/** More pools than this that wait for their first connection would be a long queue, in which projects have no turns. */
const MANY_WITHOUT = 10;

/**
 * Limits the connections of several pools together. When it is used up, the connection that was idle the longest ends; where
 * none is idle, a pool that has several gives one to a pool that has none.
 */
export class ConnectionBudget {
  #free: number;
  readonly #inUse = new Set<HostConnection>();
  /** In the order in which they asked. */
  readonly #waiting = new Set<Waiting>();
  /** Those of them that have none. */
  readonly #without = new Set<Waiting>();
  /** Connections that end for others. */
  readonly #leaving = new Set<HostConnection>();

  constructor(maxConnections: number) {
    this.#free = maxConnections;
  }

  /** @returns false: none is free. Then `pool.grow()` is called when one is. */
  take(pool: Waiting): boolean {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    if (pool.hasNone) this.#without.add(pool);
    else this.#without.delete(pool);
    if (!this.#waiting.has(pool)) {
      this.#waiting.add(pool);
      this.#endOldestIdle();
    }
    return false;
  }

  /** The pool wants no more. */
  leave(pool: Waiting): void {
    this.#waiting.delete(pool);
    this.#without.delete(pool);
  }

  /** Whether pools without a connection wait for one, so that it is no use to begin mail for more of them. */
  get isCrowded(): boolean {
    return this.#without.size >= MANY_WITHOUT;
  }

  /** Asks a connection that others could do without whether it should end, for a pool that has none. */
  shouldLeave(connection: HostConnection): boolean {
    if (this.#without.size <= this.#leaving.size) return false;
    this.#leaving.add(connection);
    return true;
  }

  /** Whether a pool waits: then a connection with nothing to do has to go. */
  get isShort(): boolean {
    return this.#waiting.size > 0;
  }

  /** What was taken became a connection. */
  use(connection: HostConnection): void {
    this.#inUse.add(connection);
  }

  /** @param connection null: what was taken became none */
  giveBack(connection: HostConnection | null): void {
    if (connection !== null) {
      this.#inUse.delete(connection);
      this.#leaving.delete(connection);
    }
    this.#free += 1;
    while (this.#free > 0) {
      const [pool] = this.#without.size > 0 ? this.#without : this.#waiting;
      if (pool === undefined) return;
      this.leave(pool);
      pool.grow();
    }
  }

  #endOldestIdle(): void {
    const idle = [...this.#inUse].filter(({ isIdle }) => isIdle);
    const [oldest] = idle.sort((one, other) => one.idleSinceMs - other.idleSinceMs);
    if (oldest === undefined) return;
    this.#leaving.add(oldest);
    oldest.retire();
  }
}
