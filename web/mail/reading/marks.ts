/**
 * Changes to rows that the user has just made. A response that does not include a change yet must not revert the change.
 */
export class Marks<Each extends { id: string }> {
  readonly #marked = new Map<string, Marked<Each>>();

  add(ids: ReadonlySet<string>, change: Change<Each>): void {
    for (const id of ids) {
      const marked = this.#marked.get(id);
      this.#marked.set(id, { ...marked, changes: [...(marked?.changes ?? []), change] });
    }
  }

  /** A row from the service, with the changes that the response may not include yet. */
  on(row: Each): Each {
    const marked = this.#marked.get(row.id);
    if (marked === undefined) return row;
    marked.sent = row;
    return withChanges(row, marked);
  }

  /**
   * Call when the service has confirmed a change.
   * @returns the given rows that the service has sent since the change was made, with the changes that remain
   */
  remove(ids: ReadonlySet<string>, change: Change<Each>): ReadonlyMap<string, Each> {
    const rows = new Map<string, Each>();
    for (const id of ids) {
      const marked = this.#marked.get(id);
      if (marked === undefined) continue;
      const left = { ...marked, changes: marked.changes.filter((each) => each !== change) };
      if (left.changes.length === 0) this.#marked.delete(id);
      else this.#marked.set(id, left);
      if (left.sent !== undefined) rows.set(id, withChanges(left.sent, left));
    }
    return rows;
  }
}

type Change<Each> = (row: Each) => Each;

interface Marked<Each> {
  /** The changes in the order in which the user made them. */
  changes: readonly Change<Each>[];
  /** The latest row from the service, if the service has sent the row since the first change. */
  sent?: Each;
}

function withChanges<Each>(row: Each, { changes }: Marked<Each>): Each {
  return changes.reduce((changed, change) => change(changed), row);
}
