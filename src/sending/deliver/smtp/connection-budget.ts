import type { HostConnection } from './host-connection.ts';

interface Waiting {
  /** Whether it has no connection. */
  readonly hasNone: boolean;
  /** Whose message is the first that waits. */
  readonly nextProjectId: string | null;
  grow(): void;
}

/** The last ones, as a share of all, are for pools that have none. */
const FOR_FIRST_CONNECTIONS = 0.2;

/**
 * Limits the connections of several pools together. The last ones are for pools that have none. When it is used up, the
 * connection that was idle the longest ends; where none is idle, a pool that has several gives one to a pool that has none.
 */
export class SmtpConnectionBudget {
  readonly #reserve: number;
  #free: number;
  readonly #inUse = new Set<HostConnection>();
  /** In the order in which they asked. */
  readonly #waiting = new Set<Waiting>();
  /** Those of them that have none: the projects take turns, however many pools wait with mail of one of them. */
  readonly #without = new Set<Waiting>();
  /** When each project had its turn, as far as pools without a connection have been waiting since. */
  readonly #turns = new Map<string | null, number>();
  #turn = 0;
  /** Connections that end for others. */
  readonly #leaving = new Set<HostConnection>();

  constructor(maxConnections: number) {
    this.#free = maxConnections;
    this.#reserve = Math.floor(maxConnections * FOR_FIRST_CONNECTIONS);
  }

  /** @returns false: none is free. Then `pool.grow()` is called when one is. */
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

  /** The pool wants no more. */
  leave(pool: Waiting): void {
    this.#waiting.delete(pool);
    this.#without.delete(pool);
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
      const pool = this.#nextWithout() ?? (this.#free > this.#reserve ? [...this.#waiting][0] : undefined);
      if (pool === undefined) return;
      this.leave(pool);
      pool.grow();
    }
  }

  #nextWithout(): Waiting | undefined {
    let next: Waiting | undefined;
    let nextTurn = Number.POSITIVE_INFINITY;
    for (const pool of this.#without) {
      const turn = this.#turns.get(pool.nextProjectId) ?? 0;
      if (turn < nextTurn) [next, nextTurn] = [pool, turn];
    }
    if (next === undefined) this.#turns.clear();
    else this.#turns.set(next.nextProjectId, ++this.#turn);
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
