/** Whether a file would be restored, without restoring it. */
import { openBackup } from './open-backup.ts';
import { readMembers, type RowTaker } from './read-members.ts';

const NEW_LINE = 0x0a;

/**
 * Reads a backup to its end as restoring it would, and loads nothing.
 * @param signal breaks it off
 * @throws DamagedBackup when it is not whole
 * @throws the reason of the signal
 */
export async function checkBackup(file: string, signal: AbortSignal): Promise<void> {
  await readMembers(await openBackup(file), {
    table: () => new Counting(signal),
    object: () => Promise.resolve(signal.throwIfAborted()),
  });
}

class Counting implements RowTaker {
  readonly #signal: AbortSignal;
  #count = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** A row is a line: a new line in a value is written as two characters (PostgreSQL, COPY, Text Format). */
  write(rows: Buffer): Promise<void> {
    for (let at = rows.indexOf(NEW_LINE); at !== -1; at = rows.indexOf(NEW_LINE, at + 1)) this.#count += 1;
    return Promise.resolve(this.#signal.throwIfAborted());
  }

  end(): Promise<number> {
    return Promise.resolve(this.#count);
  }
}
