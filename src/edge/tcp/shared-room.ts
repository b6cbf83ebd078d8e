import type { ClientConnection } from './client-connection.ts';

/** Connections end for one that does so many times as much for what it holds. Between equals whoever came first stays. */
const CLEARLY = 2;

/**
 * What the connections of a listener share and there is an end of: places, or memory. Attack: a few clients take all of it
 * and do next to nothing. So when it is all taken, those give way that do least for what their network holds.
 */
export class SharedRoom {
  readonly #size: number;
  readonly #end: (connection: ClientConnection) => void;
  readonly #held = new Map<ClientConnection, number>();
  #taken = 0;

  /** @param end called for a connection that gives way */
  constructor(size: number, end: (connection: ClientConnection) => void) {
    this.#size = size;
    this.#end = end;
  }

  /** @returns false: there is no room, and nobody who should give way */
  take(connection: ClientConnection, amount: number): boolean {
    const missing = this.#taken + amount - this.#size;
    const leaving = missing > 0 ? this.#whoGiveWay(connection, amount, missing) : [];
    if (leaving === null) return false;
    for (const each of leaving) {
      this.giveBack(each);
      this.#end(each);
    }
    this.#held.set(connection, (this.#held.get(connection) ?? 0) + amount);
    this.#taken += amount;
    return true;
  }

  /** All that the connection has taken. */
  giveBack(connection: ClientConnection): void {
    this.#taken -= this.#held.get(connection) ?? 0;
    this.#held.delete(connection);
  }

  /** Those that do least, up to what is missing; null where it is not enough. */
  #whoGiveWay(claimant: ClientConnection, amount: number, missing: number): ClientConnection[] | null {
    const ofNetwork = new Map([[claimant.network, amount]]);
    for (const [{ network }, held] of this.#held)
      ofNetwork.set(network, (ofNetwork.get(network) ?? 0) + held);
    const merit = (each: ClientConnection) => each.activity / (ofNetwork.get(each.network) ?? 1);
    const most = merit(claimant) / CLEARLY;
    const weakest = [...this.#held.keys()]
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
