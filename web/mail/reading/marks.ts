/** Marks of rows that the user has just changed. An answer that the service gave before it knew of them does not take them back. */
export class Marks<Each extends { id: string }> {
  readonly #marked = new Map<string, Marked<Each>>();

  add(ids: ReadonlySet<string>, change: Change<Each>): void {
    for (const id of ids) {
      const marked = this.#marked.get(id);
      this.#marked.set(id, { ...marked, changes: [...(marked?.changes ?? []), change] });
    }
  }

  /** A row that the service has sent, with the changes that it may not know of yet. */
  on(row: Each): Each {
    const marked = this.#marked.get(row.id);
    if (marked === undefined) return row;
    marked.sent = row;
    return withChanges(row, marked);
  }

  /**
   * The service knows of a change.
   * @returns the rows of these that it has sent since the change was made, with the changes that are left
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
  /** In the order in which they were made. */
  changes: readonly Change<Each>[];
  /** The row as the service sent it last, since the first of the changes. */
  sent?: Each;
}

function withChanges<Each>(row: Each, { changes }: Marked<Each>): Each {
  return changes.reduce((changed, change) => change(changed), row);
}
