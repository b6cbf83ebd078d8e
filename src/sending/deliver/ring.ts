/** What has members: a ring is one, so that rings can stand in rings. */
export interface RingMember {
  readonly isEmpty: boolean;
}

/** Members take turns: whoever had one stands behind the others. */
export class Ring<Each extends RingMember> {
  readonly #members = new Map<string, Each>();
  #round: object | null = null;
  /** Those that were not asked in this round. A member that had its turn is asked again, as the last one. */
  #rest: Iterator<[string, Each]> = [].values();

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  get(key: string): Each | undefined {
    return this.#members.get(key);
  }

  /** A new member stands behind the others; one that takes another's key takes its place. */
  put(key: string, member: Each): void {
    this.#members.set(key, member);
  }

  /**
   * One turn, of the first member that makes use of it. Who did not is not asked again in this round.
   * @param take how many rows the member takes
   * @returns 0: nobody takes any more in this round
   */
  turn(round: object, take: (member: Each) => number): number {
    if (this.#round !== round) {
      this.#round = round;
      this.#rest = this.#members.entries();
    }
    for (;;) {
      const { value, done } = this.#rest.next();
      if (done === true) return 0;
      const [key, member] = value;
      const rows = member.isEmpty ? 0 : take(member);
      if (rows > 0 || member.isEmpty) this.#members.delete(key);
      if (rows > 0 && !member.isEmpty) this.#members.set(key, member);
      if (rows > 0) return rows;
    }
  }
}
