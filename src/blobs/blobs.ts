/** Stores bytes by their digest, one copy per project: small blobs in rows, large blobs as objects (docs/operate/blobs.md). */
import { hash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { byteaArray } from '../db/arrays.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { newUuid } from '../model/ids.ts';
import type { PreparedBlob } from './prepared-blob.ts';
import type { ByteRange, ObjectStore } from './object-store.ts';

/** The maximum size of a blob that is stored in a row. Larger blobs become objects. docs/decisions/0045-blobs.md has the measurements. */
export const MAX_ROW_BYTES = 64 * 1024;

/** The smallest chunk size that zlib accepts. */
const MIN_CHUNK = 64;

const PACKING = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

const BLOB = columnsOf({ size: 'int4', bytes: 'bytea?', object: 'uuid?' });
type BlobRow = RowOf<typeof BLOB>;
const NUMBERED_BLOB = columnsOf({ ...BLOB.kinds, at: 'int4' });

/** A stored blob that can be read. */
export interface OpenBlob {
  readonly size: number;
  /** The bytes, if they are in the row. Null if the blob is an object, which can only be read asynchronously. */
  readNow(): Buffer | null;
  /** Reads the bytes. Null if the blob was deleted after it was opened, because nothing referenced it any more. */
  read(range?: ByteRange): Promise<Buffer | null>;
}

export class Blobs {
  readonly #database: Database;
  readonly #objects: ObjectStore;

  constructor(database: Database, objects: ObjectStore) {
    this.#database = database;
    this.#objects = objects;
  }

  /**
   * Stores the object of a large blob durably and prepares the blob's row. The caller must write the row (`writingBlobs`): an object
   * without a row is deleted after a day.
   * @param digest SHA-256 of the bytes, if the caller has it already. Computing it takes 20 ms or more for 30 MB
   */
  async prepare(projectId: string, bytes: Buffer, digest?: Buffer): Promise<PreparedBlob> {
    if (bytes.length <= MAX_ROW_BYTES) return prepareInRow(projectId, bytes, digest);
    const object = newUuid();
    await this.#objects.put({ projectId, id: object }, bytes);
    return { ...named(projectId, bytes, digest), bytes: null, object };
  }

  /** Deletes the object of a blob whose row was not written. Without this call, the sweep would delete it after a day. */
  async discard({ projectId, object }: PreparedBlob): Promise<void> {
    if (object !== null) await this.#objects.delete({ projectId, id: object });
  }

  /** Opens a blob. Returns null if there is no blob with this digest in the project. */
  async open(projectId: string, digest: Buffer): Promise<OpenBlob | null> {
    const row = await this.#database
      .selectFrom('blobs')
      .select(['size', 'bytes', 'object'])
      .where((blob) => rowIs(blob, { projectId, digest }))
      .executeTakeFirst();
    return row === undefined ? null : this.#toOpen(projectId, row);
  }

  /**
   * Opens many blobs at once. Blobs in rows stay compressed in memory until they are read, so the caller must limit the number of blobs.
   * @returns one result for each digest, in order; null for a blob that nothing references
   */
  async openAll(projectId: string, digests: readonly Buffer[]): Promise<(OpenBlob | null)[]> {
    const { rows } = await NUMBERED_BLOB.sql`
      select k.at::int4 as at, b.size, b.bytes, b.object
      from unnest(${byteaArray(digests)}::bytea[]) with ordinality k (digest, at) cross join lateral (
        select * from blobs b where b.project_id = ${projectId} and b.digest = k.digest limit 1) b`.execute(
      this.#database,
    );
    const all = digests.map((): OpenBlob | null => null);
    for (const { at, ...row } of rows) all[at - 1] = this.#toOpen(projectId, row);
    return all;
  }

  #toOpen(projectId: string, { size, bytes: packed, object }: BlobRow): OpenBlob {
    if (object !== null)
      return {
        size,
        readNow: () => null,
        read: (range) => this.#objects.get({ projectId, id: object }, range),
      };
    let bytes: Buffer | null = null;
    const readNow = (): Buffer => (bytes ??= unpack(packed ?? Buffer.alloc(0), size));
    return { size, readNow, read: async (range) => readNow().subarray(range?.start, range?.end) };
  }
}

/** Does the same as `Blobs.prepare`, without a promise, for bytes that are small enough for a row. */
export function prepareInRow(projectId: string, bytes: Buffer, digest?: Buffer): PreparedBlob {
  return { ...named(projectId, bytes, digest), bytes: zstdCompressSync(bytes, PACKING), object: null };
}

function named(
  projectId: string,
  bytes: Buffer,
  digest: Buffer = hash('sha256', bytes, 'buffer'),
): Pick<PreparedBlob, 'projectId' | 'digest' | 'size'> {
  return { projectId, digest, size: bytes.length };
}

function unpack(packed: Buffer, size: number): Buffer {
  // Make the chunk one byte larger than the content. All content then fits into one chunk, which is returned without a copy.
  return zstdDecompressSync(packed, {
    maxOutputLength: Math.max(1, size),
    chunkSize: Math.max(MIN_CHUNK, size + 1),
  });
}
