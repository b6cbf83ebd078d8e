import type { HostConnection } from './host-connection.ts';

interface Waiting {
  grow(): void;
}

/** Limits the connections of several pools together. When it is used up, the connection that was idle the longest ends. */
export class ConnectionBudget {
  #free: number;
  readonly #inUse = new Set<HostConnection>();
  /** In the order in which they asked. */
  readonly #waiting = new Set<Waiting>();

  constructor(maxConnections: number) {
    this.#free = maxConnections;
  }

  /** @returns false: none is free. Then `pool.grow()` is called when one is. */
  take(pool: Waiting): boolean {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    if (!this.#waiting.has(pool)) {
      this.#waiting.add(pool);
      this.#endOldestIdle();
    }
    return false;
  }

  /** The pool wants no more. */
  leave(pool: Waiting): void {
    this.#waiting.delete(pool);
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
    if (connection !== null) this.#inUse.delete(connection);
    this.#free += 1;
    for (const pool of this.#waiting) {
      if (this.#free === 0) return;
      this.#waiting.delete(pool);
      pool.grow();
    }
  }

  #endOldestIdle(): void {
    const idle = [...this.#inUse].filter(({ isIdle }) => isIdle);
    idle.sort((one, other) => one.idleSinceMs - other.idleSinceMs)[0]?.retire();
  }
}
