import type { ClientConnection } from './client-connection.ts';

/** A connection is closed only if the claimant has more than this many times its merit. Among equals, the earlier connection therefore stays. */
const MERIT_FACTOR = 2;
/** The share of the quota for large requests, which wait in line. The rest is for small requests, which do not wait. */
const QUEUE_SHARE = 0.75;
/** A signed-in client waits as long as its app does: after a failed upload, users do not send the message again. */
const MAX_WAIT_MS = { ofTrusted: 600_000, ofOthers: 60_000 };
/** Interval between searches for connections to close. Idle connections lose merit in the meantime. */
const RETRY_MS = 1_000;
/** Maximum numbers of waiting connections, which keep the memory that they have already taken. */
const MAX_WAITING = { all: 64, ofNetwork: 32 };

interface Waiting {
  connection: ClientConnection;
  amount: number;
  isServed: boolean;
  serve(): void;
}

/**
 * A quota that the connections of a listener share: connection slots, or memory. Attack: a few clients take all of it and do next to
 * nothing. When the quota is used up, the connections with the least merit are closed. Merit is the activity of a connection, divided by
 * the amount that its network holds.
 */
export class SharedQuota {
  readonly #size: number;
  readonly #end: (connection: ClientConnection) => void;
  readonly #amounts = new Map<ClientConnection, number>();
  readonly #queue: Waiting[] = [];
  /** The connections that hold an amount for which they have waited in line. */
  readonly #served = new Set<ClientConnection>();
  #used = 0;

  /** @param end closes a connection in favour of another one */
  constructor(size: number, end: (connection: ClientConnection) => void) {
    this.#size = size;
    this.#end = end;
  }

  /** @returns false if the quota is used up and no connection should be closed */
  take(connection: ClientConnection, amount: number): boolean {
    return this.#take(connection, amount, this.#used + amount - this.#size, this.#amounts.keys());
  }

  /**
   * Like `take`, for large amounts: waits in line until the quota suffices, and leaves a part of it to small requests. The network that
   * holds least is served first.
   * @param amount the total, including the amount that the connection has already taken
   * @returns false if the wait took too long, too many connections wait, or the connection has ended
   */
  async takeQueued(connection: ClientConnection, amount: number): Promise<boolean> {
    const neighbours = this.#queue.filter((each) => each.connection.network === connection.network);
    if (this.#queue.length >= MAX_WAITING.all || neighbours.length >= MAX_WAITING.ofNetwork) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting: Waiting = { connection, amount, isServed: false, serve: resolve };
    this.#queue.push(waiting);
    this.#serveQueue();
    if (!waiting.isServed) {
      const retry = setInterval(() => this.#serveQueue(), RETRY_MS);
      await connection.pauseIdleUntil(
        promise,
        connection.isTrusted ? MAX_WAIT_MS.ofTrusted : MAX_WAIT_MS.ofOthers,
      );
      clearInterval(retry);
    }
    if (waiting.isServed) return true;
    this.#queue.splice(this.#queue.indexOf(waiting), 1);
    // A smaller request may fit.
    this.#serveQueue();
    return false;
  }

  /** Releases everything that the connection has taken. */
  release(connection: ClientConnection): void {
    this.#forget(connection);
    this.#serveQueue();
  }

  #serveQueue(): void {
    while (this.#queue.length > 0) {
      const ofNetwork = this.#ofNetworks();
      const [first] = this.#queue.toSorted(
        (a, b) => (ofNetwork.get(a.connection.network) ?? 0) - (ofNetwork.get(b.connection.network) ?? 0),
      );
      if (first === undefined) return;
      const { connection, amount } = first;
      const more = amount - (this.#amounts.get(connection) ?? 0);
      const served = [...this.#served].reduce((sum, each) => sum + (this.#amounts.get(each) ?? 0), 0);
      const missing = Math.max(this.#used + more - this.#size, served + amount - this.#size * QUEUE_SHARE);
      if (!this.#take(connection, more, missing, this.#served)) return;
      this.#served.add(connection);
      this.#queue.splice(this.#queue.indexOf(first), 1);
      first.isServed = true;
      first.serve();
    }
  }

  /** @param closable the connections that may be closed */
  #take(
    connection: ClientConnection,
    amount: number,
    missing: number,
    closable: Iterable<ClientConnection>,
  ): boolean {
    const toClose = missing > 0 ? this.#findWeakest(connection, amount, missing, closable) : [];
    if (toClose === null) return false;
    for (const each of toClose) {
      this.#forget(each);
      this.#end(each);
    }
    this.#amounts.set(connection, (this.#amounts.get(connection) ?? 0) + amount);
    this.#used += amount;
    return true;
  }

  #forget(connection: ClientConnection): void {
    this.#used -= this.#amounts.get(connection) ?? 0;
    this.#amounts.delete(connection);
    this.#served.delete(connection);
  }

  #ofNetworks(): Map<string, number> {
    const ofNetwork = new Map<string, number>();
    for (const [{ network }, amount] of this.#amounts)
      ofNetwork.set(network, (ofNetwork.get(network) ?? 0) + amount);
    return ofNetwork;
  }

  /** The connections with the least merit that together hold the missing amount. Null if all that may be closed hold less. */
  #findWeakest(
    claimant: ClientConnection,
    amount: number,
    missing: number,
    closable: Iterable<ClientConnection>,
  ): ClientConnection[] | null {
    const ofNetwork = this.#ofNetworks();
    ofNetwork.set(claimant.network, (ofNetwork.get(claimant.network) ?? 0) + amount);
    const merit = (each: ClientConnection) => each.activity / (ofNetwork.get(each.network) ?? 1);
    const most = merit(claimant) / MERIT_FACTOR;
    const weakest = [...closable]
      .filter((each) => each !== claimant && each.isWaiting)
      // Attack: new connections that never sign in push out mail apps that wait silently for changes.
      .filter((each) => claimant.isTrusted || !each.isTrusted)
      .map((each) => ({ connection: each, merit: merit(each) }))
      .filter((each) => each.merit < most)
      .sort((a, b) => a.merit - b.merit);
    const toClose: ClientConnection[] = [];
    let freed = 0;
    for (const { connection } of weakest) {
      if (freed >= missing) break;
      toClose.push(connection);
      freed += this.#amounts.get(connection) ?? 0;
    }
    return freed >= missing ? toClose : null;
  }
}
