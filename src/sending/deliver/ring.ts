/** A member of a ring. Rings are members too, so that they can be nested. */
export interface RingMember {
  readonly isEmpty: boolean;
}

/** Round-robin: a member that was served moves to the end. */
export class Ring<Each extends RingMember> {
  readonly #members = new Map<string, Each>();
  #round: object | null = null;
  /** Members not yet tried in this round. A member that was served is tried again, after the others. */
  #rest: Iterator<[string, Each]> = [].values();

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  get(key: string): Each | undefined {
    return this.#members.get(key);
  }

  /** Adds a new member at the end. A member with an existing key replaces the old one in its position. */
  put(key: string, member: Each): void {
    this.#members.set(key, member);
  }

  /**
   * Serves the first member that takes rows. Members that take none are not tried again in this round.
   * @param take returns how many rows the member takes
   * @returns the rows taken; 0 if no member takes any more in this round
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
