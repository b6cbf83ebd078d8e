/** The rows of a backup on their way into the tables. */
import type { Client } from 'pg';
import { sqlState } from '../../db/database.ts';
import { StartupError } from '../../model/startup-error.ts';
import { listOf, type Table } from './catalog.ts';
import { type CopyIn, copyIn } from './copy-in.ts';
import { DamagedBackup } from './damaged-backup.ts';
import type { TableDigest } from './manifest.ts';
import { type BackupObjects, putBack } from './objects.ts';
import type { OpenedBackup } from './open-backup.ts';
import { readMembers, type RowTaker } from './read-members.ts';

/**
 * Loads what the backup has, puts objects where they belong, and compares it with what the backup says that it has. In the transaction of the caller, who
 * commits nothing when this throws.
 * @throws StartupError
 */
export function load(
  client: Client,
  backup: OpenedBackup,
  objects: BackupObjects,
): Promise<readonly TableDigest[]> {
  return readMembers(backup, {
    table: (table) => new Loading(client, table),
    object: (name, body) => putBack(objects, name, body),
  });
}

class Loading implements RowTaker {
  readonly #table: string;
  readonly #copied: CopyIn;

  constructor(client: Client, { name, columns }: Table) {
    this.#table = name;
    this.#copied = copyIn(client, `copy ${listOf([name])} (${listOf(columns)}) from stdin`);
  }

  write(rows: Buffer): Promise<void> {
    return this.#copied.write(rows).catch((error: unknown) => this.#fail(error));
  }

  end(): Promise<number> {
    return this.#copied.end().catch((error: unknown) => this.#fail(error));
  }

  /** What PostgreSQL says of a value repeats it, so it is not shown. */
  #fail(error: unknown): never {
    const state = sqlState(error);
    if (state === null) throw error;
    if (/^2[23]/.test(state)) throw new DamagedBackup(`the table ${this.#table} does not take its rows`);
    throw new StartupError(
      `The table ${this.#table} cannot be loaded: ${(error as Error).message}. Nothing was restored.`,
      { cause: error },
    );
  }
}
