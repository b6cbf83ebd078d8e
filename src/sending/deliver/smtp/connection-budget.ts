import type { HostConnection } from './host-connection.ts';

interface Waiting {
  /** Whether the pool has no connection. */
  readonly hasNone: boolean;
  /** The project of the first waiting message. */
  readonly nextProjectId: string | null;
  grow(): void;
}

/** The share of all connections that is reserved for pools without a connection. */
const FOR_FIRST_CONNECTIONS = 0.2;

/**
 * Limits the connections of several pools together. The last connections are reserved for pools without a connection. When all connections
 * are in use, the connection that has been idle longest ends. If none is idle, a pool with several connections ends one of them for a pool
 * without connections.
 */
export class SmtpConnectionBudget {
  readonly #reserve: number;
  #free: number;
  readonly #inUse = new Set<HostConnection>();
  /** Waiting pools in the order of their requests. */
  readonly #waiting = new Set<Waiting>();
  /**
   * Waiting pools without a connection. They are served round-robin by project, however many pools wait with mail from the same project.
   */
  readonly #without = new Set<Waiting>();
  /** For each project, a serial number that shows when it was served last. Cleared when no pool without a connection is waiting. */
  readonly #lastServed = new Map<string | null, number>();
  #serial = 0;
  /** Connections that are ending so that other pools get a connection. */
  readonly #leaving = new Set<HostConnection>();

  constructor(maxConnections: number) {
    this.#free = maxConnections;
    this.#reserve = Math.floor(maxConnections * FOR_FIRST_CONNECTIONS);
  }

  /** Takes a slot for one connection. @returns false if no slot is free; `pool.grow()` is called when a slot becomes free */
  take(pool: Waiting): boolean {
    if (this.#free > (pool.hasNone ? 0 : this.#reserve)) {
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

  /** Called when the pool needs no more connections. */
  leave(pool: Waiting): void {
    this.#waiting.delete(pool);
    this.#without.delete(pool);
  }

  /** Whether a connection that its pool can spare should end, so that a pool without connections gets one. */
  shouldLeave(connection: HostConnection): boolean {
    if (this.#without.size <= this.#leaving.size) return false;
    this.#leaving.add(connection);
    return true;
  }

  /** Whether a pool is waiting. Idle connections must end while a pool is waiting. */
  get isShort(): boolean {
    return this.#waiting.size > 0;
  }

  /** Called after a connection was opened in a slot that `take` returned. */
  use(connection: HostConnection): void {
    this.#inUse.add(connection);
  }

  /** Releases a slot. @param connection the connection that ended; null if none was opened in the slot */
  release(connection: HostConnection | null): void {
    if (connection !== null) {
      this.#inUse.delete(connection);
      this.#leaving.delete(connection);
    }
    this.#free += 1;
    while (this.#free > 0) {
      const pool = this.#nextWithout() ?? (this.#free > this.#reserve ? [...this.#waiting][0] : undefined);
      if (pool === undefined) return;
      this.leave(pool);
      pool.grow();
    }
  }

  #nextWithout(): Waiting | undefined {
    let next: Waiting | undefined;
    let earliest = Number.POSITIVE_INFINITY;
    for (const pool of this.#without) {
      const served = this.#lastServed.get(pool.nextProjectId) ?? 0;
      if (served < earliest) [next, earliest] = [pool, served];
    }
    if (next === undefined) this.#lastServed.clear();
    else this.#lastServed.set(next.nextProjectId, ++this.#serial);
    return next;
  }

  #endOldestIdle(): void {
    const idle = [...this.#inUse].filter(({ isIdle }) => isIdle);
    const [oldest] = idle.sort((one, other) => one.idleSinceMs - other.idleSinceMs);
    if (oldest === undefined) return;
    this.#leaving.add(oldest);
    oldest.retire();
  }
}
