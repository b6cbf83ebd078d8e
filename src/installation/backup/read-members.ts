/** Reads a backup to its end and verifies its contents against its header and digests. */
import { createHash } from 'node:crypto';
import { DamagedBackup } from './damaged-backup.ts';
import { type Digests, DIGESTS, readDigests, type TableDigest } from './manifest.ts';
import { compareObjects, type Name, nameOfObject, ObjectsTally } from './objects.ts';
import type { OpenedBackup } from './open-backup.ts';

/** Receives the parts of a backup. */
export interface BackupConsumer {
  /** Begins a table. The previous table has ended. */
  table(table: OpenedBackup['header']['tables'][number]): RowConsumer;
  object(name: Name, body: Buffer): Promise<void>;
}

export interface RowConsumer {
  write(rows: Buffer): Promise<void>;
  /** @returns the number of rows */
  end(): Promise<number>;
}

/**
 * Passes the contents of a backup to the consumer, and verifies the contents.
 * @throws DamagedBackup if the contents do not match the header or the digests. The consumer must not use the parts that it has already
 * received
 */
export async function readMembers(
  backup: OpenedBackup,
  consumer: BackupConsumer,
): Promise<readonly TableDigest[]> {
  const digests = new Map<string, TableDigest>();
  let reading: Reading | null = null;
  let expected: Digests | null = null;
  const tally = new ObjectsTally();
  const finish = async (): Promise<void> => {
    if (reading !== null) digests.set(reading.name, await reading.end());
    reading = null;
  };
  for await (const { name, body } of backup.members) {
    if (expected !== null) throw new DamagedBackup(`${name} follows its end`);
    if (name === DIGESTS) {
      await finish();
      expected = readDigests(body);
      continue;
    }
    const object = nameOfObject(name);
    if (object !== null) {
      await finish();
      tally.add({ name, body });
      await consumer.object(object, body);
      continue;
    }
    const tableName = /^tables\/([^/]+)\/\d+$/.exec(name)?.[1];
    if (tableName !== reading?.name) {
      await finish();
      const table = backup.header.tables.find((each) => each.name === tableName);
      if (table === undefined || digests.has(table.name)) throw new DamagedBackup(`${name} is unexpected`);
      reading = new Reading(table.name, consumer.table(table));
    }
    await reading?.write(body);
  }
  if (expected === null) throw new DamagedBackup('it is cut off');
  compare(backup, expected, digests);
  compareObjects(expected.objects, tally.digest());
  return expected.tables;
}

/** @throws DamagedBackup if the header or the rows differ from the digests */
function compare(
  { header, headerSha256 }: OpenedBackup,
  expected: Digests,
  found: ReadonlyMap<string, TableDigest>,
): void {
  const isSame = ({ name, rows, bytes, sha256 }: TableDigest, other: TableDigest): boolean =>
    rows === other.rows && bytes === other.bytes && sha256 === other.sha256 && name === other.name;
  if (expected.header_sha256 !== headerSha256 || expected.tables.length !== header.tables.length)
    throw new DamagedBackup('its header has changed since it was written');
  const wrong = expected.tables.find(
    (digest) => !isSame(digest, found.get(digest.name) ?? emptyDigest(digest.name)),
  );
  if (wrong !== undefined)
    throw new DamagedBackup(`the rows of the table ${wrong.name} have changed since it was written`);
}

const emptyDigest = (name: string): TableDigest => ({
  name,
  rows: 0,
  bytes: 0,
  sha256: createHash('sha256').digest('hex'),
});

/** Passes the rows of one table to the consumer and computes the digest of the rows. */
class Reading {
  readonly name: string;
  readonly #rows: RowConsumer;
  readonly #sha256 = createHash('sha256');
  #bytes = 0;

  constructor(name: string, rows: RowConsumer) {
    this.name = name;
    this.#rows = rows;
  }

  async write(rows: Buffer): Promise<void> {
    this.#sha256.update(rows);
    this.#bytes += rows.length;
    await this.#rows.write(rows);
  }

  async end(): Promise<TableDigest> {
    const rows = await this.#rows.end();
    return { name: this.name, rows, bytes: this.#bytes, sha256: this.#sha256.digest('hex') };
  }
}
