import type { ClientConnection } from './client-connection.ts';

/**
 * To get quota, a connection displaces only connections with less than 1/`MERIT_FACTOR` of its own merit (see `SharedQuota`). If a new
 * connection has no more merit than the open ones, none of them is displaced.
 */
const MERIT_FACTOR = 2;
/** The share of the quota that large requests (`takeQueued`) may use. The rest is for small requests (`take`), which never wait. */
const QUEUE_SHARE = 0.75;
/**
 * Maximum wait for quota. A signed-in client may wait as long as its mail app does, because users do not resend a message whose upload
 * failed.
 */
const MAX_WAIT_MS = { trusted: 600_000, untrusted: 60_000 };
/**
 * While requests wait, the interval between searches for connections to close, in milliseconds. A later search can succeed, because
 * idle connections lose merit over time.
 */
const RETRY_MS = 1_000;
/** Maximum numbers of waiting connections. The limits exist because a waiting connection keeps the memory that it has already taken. */
const MAX_WAITING = { all: 64, perNetwork: 32 };

interface Waiting {
  connection: ClientConnection;
  amount: number;
  isServed: boolean;
  serve(): void;
}

/**
 * A quota of connection slots or of memory that the connections of a listener share. Attack: a few clients take the whole quota and do
 * next to nothing. When the quota is used up, the connections with the least merit are closed. The merit of a connection is its activity
 * divided by the amount of quota that its network has taken.
 */
export class SharedQuota {
  readonly #size: number;
  readonly #end: (connection: ClientConnection) => void;
  readonly #amounts = new Map<ClientConnection, number>();
  readonly #queue: Waiting[] = [];
  /** Connections whose amount was taken with `takeQueued`. */
  readonly #largeHolders = new Set<ClientConnection>();
  #used = 0;

  /** @param end closes a connection, whose share of the quota then goes to another connection */
  constructor(size: number, end: (connection: ClientConnection) => void) {
    this.#size = size;
    this.#end = end;
  }

  /** @returns false if too little quota is left and no other connections may be closed to free more */
  take(connection: ClientConnection, amount: number): boolean {
    return this.#take(connection, amount, this.#used + amount - this.#size, this.#amounts.keys());
  }

  /**
   * Takes a large amount. Waits in line until there is enough quota, and leaves a part of the quota to `take`. Connections whose network
   * has taken the least are served first.
   * @param amount the total, including the amount that the connection has already taken
   * @returns false if the wait took too long, too many connections wait, or the connection has ended
   */
  async takeQueued(connection: ClientConnection, amount: number): Promise<boolean> {
    const neighbors = this.#queue.filter((each) => each.connection.network === connection.network);
    if (this.#queue.length >= MAX_WAITING.all || neighbors.length >= MAX_WAITING.perNetwork) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting: Waiting = { connection, amount, isServed: false, serve: resolve };
    this.#queue.push(waiting);
    this.#serveQueue();
    if (!waiting.isServed) {
      const retry = setInterval(() => this.#serveQueue(), RETRY_MS);
      await connection.pauseIdleUntil(
        promise,
        connection.isTrusted ? MAX_WAIT_MS.trusted : MAX_WAIT_MS.untrusted,
      );
      clearInterval(retry);
    }
    if (waiting.isServed) return true;
    this.#queue.splice(this.#queue.indexOf(waiting), 1);
    // There may be enough quota for a smaller request that waited behind this one.
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
      const amountByNetwork = this.#amountsByNetwork();
      const [first] = this.#queue.toSorted(
        (a, b) =>
          (amountByNetwork.get(a.connection.network) ?? 0) - (amountByNetwork.get(b.connection.network) ?? 0),
      );
      if (first === undefined) return;
      const { connection, amount } = first;
      const more = amount - (this.#amounts.get(connection) ?? 0);
      const takenByLarge = [...this.#largeHolders].reduce(
        (sum, each) => sum + (this.#amounts.get(each) ?? 0),
        0,
      );
      const missing = Math.max(
        this.#used + more - this.#size,
        takenByLarge + amount - this.#size * QUEUE_SHARE,
      );
      if (!this.#take(connection, more, missing, this.#largeHolders)) return;
      this.#largeHolders.add(connection);
      this.#queue.splice(this.#queue.indexOf(first), 1);
      first.isServed = true;
      first.serve();
    }
  }

  /** @param closable the connections that may be closed to free quota */
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
    this.#largeHolders.delete(connection);
  }

  #amountsByNetwork(): Map<string, number> {
    const amountByNetwork = new Map<string, number>();
    for (const [{ network }, amount] of this.#amounts)
      amountByNetwork.set(network, (amountByNetwork.get(network) ?? 0) + amount);
    return amountByNetwork;
  }

  /** Chooses connections to close, those with the least merit first, until the missing amount is free. Null if that cannot free enough. */
  #findWeakest(
    claimant: ClientConnection,
    amount: number,
    missing: number,
    closable: Iterable<ClientConnection>,
  ): ClientConnection[] | null {
    const amountByNetwork = this.#amountsByNetwork();
    amountByNetwork.set(claimant.network, (amountByNetwork.get(claimant.network) ?? 0) + amount);
    const merit = (each: ClientConnection) => each.activity / (amountByNetwork.get(each.network) ?? 1);
    const most = merit(claimant) / MERIT_FACTOR;
    const weakest = [...closable]
      .filter((each) => each !== claimant && each.isWaiting)
      // Attack: new connections that never sign in displace mail apps that wait silently for changes.
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
