/** The rows of a backup on their way into the tables, with the digests of what was loaded. */
import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { sqlState } from '../database.ts';
import { StartupError } from '../embedded/startup-error.ts';
import { listOf, type Table } from './catalog.ts';
import { type CopyIn, copyIn } from './copy-in.ts';
import { DamagedBackup } from './damaged-backup.ts';
import { type Digests, DIGESTS, readDigests, type TableDigest } from './manifest.ts';
import { type BackupObjects, compareObjects, nameOfObject, ObjectsTally, putBack } from './objects.ts';
import type { OpenedBackup } from './open-backup.ts';

/**
 * Loads what the backup has, puts objects where they belong, and compares it with what the backup says that it has. In the transaction of the caller, who
 * commits nothing when this throws.
 * @throws StartupError
 */
export async function load(
  client: Client,
  backup: OpenedBackup,
  objects: BackupObjects,
): Promise<readonly TableDigest[]> {
  const digests = new Map<string, TableDigest>();
  let loading: Loading | null = null;
  let expected: Digests | null = null;
  const tally = new ObjectsTally();
  const finish = async (): Promise<void> => {
    if (loading !== null) digests.set(loading.table.name, await loading.end());
  };
  for await (const { name, body } of backup.members) {
    if (expected !== null) throw new DamagedBackup(`${name} stands behind its end`);
    if (name === DIGESTS) {
      await finish();
      expected = readDigests(body);
      continue;
    }
    const object = nameOfObject(name);
    if (object !== null) {
      await finish();
      loading = null;
      tally.add({ name, body });
      await putBack(objects, object, body);
      continue;
    }
    const tableName = /^tables\/([^/]+)\/\d+$/.exec(name)?.[1];
    if (tableName !== loading?.table.name) {
      await finish();
      const table = backup.header.tables.find((each) => each.name === tableName);
      if (table === undefined || digests.has(table.name))
        throw new DamagedBackup(`${name} does not belong in it`);
      loading = new Loading(client, table);
    }
    await loading?.write(body);
  }
  if (expected === null) throw new DamagedBackup('it ends before its end');
  compare(backup, expected, digests);
  compareObjects(expected.objects, tally.digest());
  return expected.tables;
}

/** @throws DamagedBackup where what was loaded is not what was written */
function compare(
  { header, headerSha256 }: OpenedBackup,
  expected: Digests,
  loaded: ReadonlyMap<string, TableDigest>,
): void {
  const isSame = ({ name, rows, bytes, sha256 }: TableDigest, other: TableDigest): boolean =>
    rows === other.rows && bytes === other.bytes && sha256 === other.sha256 && name === other.name;
  if (expected.header_sha256 !== headerSha256 || expected.tables.length !== header.tables.length)
    throw new DamagedBackup('what it says of itself was changed');
  const wrong = expected.tables.find(
    (digest) => !isSame(digest, loaded.get(digest.name) ?? emptyDigest(digest.name)),
  );
  if (wrong !== undefined)
    throw new DamagedBackup(`the rows of the table ${wrong.name} are not those that were written`);
}

const emptyDigest = (name: string): TableDigest => ({
  name,
  rows: 0,
  bytes: 0,
  sha256: createHash('sha256').digest('hex'),
});

class Loading {
  readonly table: Table;
  readonly #copied: CopyIn;
  readonly #sha256 = createHash('sha256');
  #bytes = 0;

  constructor(client: Client, table: Table) {
    this.table = table;
    this.#copied = copyIn(client, `copy ${listOf([table.name])} (${listOf(table.columns)}) from stdin`);
  }

  async write(rows: Buffer): Promise<void> {
    this.#sha256.update(rows);
    this.#bytes += rows.length;
    await this.#copied.write(rows).catch((error: unknown) => this.#fail(error));
  }

  async end(): Promise<TableDigest> {
    const rows = await this.#copied.end().catch((error: unknown) => this.#fail(error));
    return { name: this.table.name, rows, bytes: this.#bytes, sha256: this.#sha256.digest('hex') };
  }

  /** What PostgreSQL says of a value repeats it, so it is not shown. */
  #fail(error: unknown): never {
    const state = sqlState(error);
    if (state === null) throw error;
    if (/^2[23]/.test(state)) throw new DamagedBackup(`the table ${this.table.name} does not take its rows`);
    throw new StartupError(
      `The table ${this.table.name} cannot be loaded: ${(error as Error).message}. Nothing was restored.`,
      { cause: error },
    );
  }
}
