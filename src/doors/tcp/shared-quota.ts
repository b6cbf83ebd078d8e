import type { ClientConnection } from './client-connection.ts';

/** Connections end for one that does so many times as much for what it holds. Between equals whoever came first stays. */
const CLEARLY = 2;
/** What stood in line may take so much: the rest is for those who want little, and do not wait. */
const SHARE_OF_LINE = 0.75;
/** Who has signed in waits for as long as its app does: nobody sends what was refused after a long upload. */
const MAX_WAIT_MS = { ofTrusted: 600_000, ofOthers: 60_000 };
/** In the meantime those who held room may have become those who do least. */
const RETRY_MS = 1_000;
/** What those hold who wait is lost to the others meanwhile. */
const MAX_WAITING = { all: 64, ofNetwork: 32 };

interface Waiting {
  connection: ClientConnection;
  amount: number;
  isServed: boolean;
  serve(): void;
}

/**
 * What the connections of a listener share and there is an end of: places, or memory. Attack: a few clients take all of it
 * and do next to nothing. So when it is all taken, those give way that do least for what their network holds.
 */
export class SharedQuota {
  readonly #size: number;
  readonly #end: (connection: ClientConnection) => void;
  readonly #held = new Map<ClientConnection, number>();
  readonly #line: Waiting[] = [];
  /** Of those that hold something, those that were served in line. */
  readonly #served = new Set<ClientConnection>();
  #taken = 0;

  /** @param end called for a connection that gives way */
  constructor(size: number, end: (connection: ClientConnection) => void) {
    this.#size = size;
    this.#end = end;
  }

  /** @returns false: there is no room, and nobody who should give way */
  take(connection: ClientConnection, amount: number): boolean {
    return this.#take(connection, amount, this.#taken + amount - this.#size, this.#held.keys());
  }

  /**
   * As `take`, for much: it waits until there is room, and a part of it stays free. The network that holds least is first.
   * @param amount with what the connection has taken before
   * @returns false: there was none for too long, too many wait, or the connection is over
   */
  async takeInLine(connection: ClientConnection, amount: number): Promise<boolean> {
    const neighbours = this.#line.filter((each) => each.connection.network === connection.network);
    if (this.#line.length >= MAX_WAITING.all || neighbours.length >= MAX_WAITING.ofNetwork) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting: Waiting = { connection, amount, isServed: false, serve: resolve };
    this.#line.push(waiting);
    this.#serveLine();
    if (!waiting.isServed) {
      const retry = setInterval(() => this.#serveLine(), RETRY_MS);
      await connection.keptWaiting(
        promise,
        connection.isTrusted ? MAX_WAIT_MS.ofTrusted : MAX_WAIT_MS.ofOthers,
      );
      clearInterval(retry);
    }
    if (waiting.isServed) return true;
    this.#line.splice(this.#line.indexOf(waiting), 1);
    // Others may be smaller.
    this.#serveLine();
    return false;
  }

  /** All that the connection has taken. */
  giveBack(connection: ClientConnection): void {
    this.#release(connection);
    this.#serveLine();
  }

  #serveLine(): void {
    while (this.#line.length > 0) {
      const ofNetwork = this.#ofNetworks();
      const [first] = this.#line.toSorted(
        (a, b) => (ofNetwork.get(a.connection.network) ?? 0) - (ofNetwork.get(b.connection.network) ?? 0),
      );
      if (first === undefined) return;
      const { connection, amount } = first;
      const more = amount - (this.#held.get(connection) ?? 0);
      const served = [...this.#served].reduce((sum, each) => sum + (this.#held.get(each) ?? 0), 0);
      const missing = Math.max(this.#taken + more - this.#size, served + amount - this.#size * SHARE_OF_LINE);
      if (!this.#take(connection, more, missing, this.#served)) return;
      this.#served.add(connection);
      this.#line.splice(this.#line.indexOf(first), 1);
      first.isServed = true;
      first.serve();
    }
  }

  /** @param mayLeave those who may give way */
  #take(
    connection: ClientConnection,
    amount: number,
    missing: number,
    mayLeave: Iterable<ClientConnection>,
  ): boolean {
    const leaving = missing > 0 ? this.#whoGiveWay(connection, amount, missing, mayLeave) : [];
    if (leaving === null) return false;
    for (const each of leaving) {
      this.#release(each);
      this.#end(each);
    }
    this.#held.set(connection, (this.#held.get(connection) ?? 0) + amount);
    this.#taken += amount;
    return true;
  }

  #release(connection: ClientConnection): void {
    this.#taken -= this.#held.get(connection) ?? 0;
    this.#held.delete(connection);
    this.#served.delete(connection);
  }

  #ofNetworks(): Map<string, number> {
    const ofNetwork = new Map<string, number>();
    for (const [{ network }, held] of this.#held)
      ofNetwork.set(network, (ofNetwork.get(network) ?? 0) + held);
    return ofNetwork;
  }

  /** Those that do least, up to what is missing; null where it is not enough. */
  #whoGiveWay(
    claimant: ClientConnection,
    amount: number,
    missing: number,
    mayLeave: Iterable<ClientConnection>,
  ): ClientConnection[] | null {
    const ofNetwork = this.#ofNetworks();
    ofNetwork.set(claimant.network, (ofNetwork.get(claimant.network) ?? 0) + amount);
    const merit = (each: ClientConnection) => each.activity / (ofNetwork.get(each.network) ?? 1);
    const most = merit(claimant) / CLEARLY;
    const weakest = [...mayLeave]
      .filter((each) => each !== claimant && each.isWaiting)
      // Attack: newcomers who never sign in, in the place of mail apps that wait in silence for news.
      .filter((each) => claimant.isTrusted || !each.isTrusted)
      .map((each) => ({ connection: each, merit: merit(each) }))
      .filter((each) => each.merit < most)
      .sort((a, b) => a.merit - b.merit);
    const leaving: ClientConnection[] = [];
    let freed = 0;
    for (const { connection } of weakest) {
      if (freed >= missing) break;
      leaving.push(connection);
      freed += this.#held.get(connection) ?? 0;
    }
    return freed >= missing ? leaving : null;
  }
}
