/** How many connections each has that has any: an address, a network, a mailbox. */
export class ConnectionCounts {
  readonly #max: number;
  readonly #counts = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  isFull(key: string): boolean {
    return (this.#counts.get(key) ?? 0) >= this.#max;
  }

  add(key: string, more: 1 | -1): void {
    const count = (this.#counts.get(key) ?? 0) + more;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}
