/** A member of a ring. A ring is itself a member, so that rings can be nested. */
export interface RingMember {
  readonly isEmpty: boolean;
}

/** Round-robin: a member that was served moves to the end. */
export class Ring<Each extends RingMember> {
  readonly #members = new Map<string, Each>();
  #round: object | null = null;
  /** Members not yet tried in this round. A served member is tried again after all others. */
  #rest: Iterator<[string, Each]> = [].values();

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  get(key: string): Each | undefined {
    return this.#members.get(key);
  }

  /** Adds a new member at the end. If the key exists, `member` replaces the old member in its position. */
  put(key: string, member: Each): void {
    this.#members.set(key, member);
  }

  /**
   * Serves the first member that takes rows. Members that take no rows are not tried again in this round.
   * @param round identifies the round; a new object starts a new round
   * @param take serves a member and returns the number of rows that it takes
   * @returns the number of rows taken; 0 if no member takes more rows in this round
   */
  serveNext(round: object, take: (member: Each) => number): number {
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
