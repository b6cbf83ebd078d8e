/** Reads the bytes of files that were uploaded for links. */
import { createHash, type Hash } from 'node:crypto';
import type { ByteRange, ObjectStore } from '../blobs/object-store.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import { collectGarbageOf } from './garbage.ts';
import { READ_BYTES } from './limits.ts';

/** A file and its owner. */
export interface LinkFileKey {
  readonly projectId: string;
  readonly id: string;
}

interface FilePart {
  object: string;
  octets: number;
  digest: Buffer;
}

/** One read of a part. */
interface Piece {
  part: FilePart;
  range: ByteRange;
  /** How many bytes at the beginning of the read were not requested. They are read only because the digest needs them. */
  skippedOctets: number;
  /** Whether the whole part is read and therefore compared with its digest. */
  isChecked: boolean;
}

/** How many rows of parts are read at a time. A file may have tens of thousands. */
const PARTS = 32;

export class LinkFiles {
  readonly #database: Database;
  readonly #objects: Pick<ObjectStore, 'get'>;

  constructor(database: Database, objects: Pick<ObjectStore, 'get'>) {
    this.#database = database;
    this.#objects = objects;
  }

  /**
   * The bytes of a range, in pieces of at most 256 KiB, with one piece read ahead. If the upload is incomplete, fewer bytes are returned.
   * Each part that ends in the range is compared with its digest before its last bytes are returned. So the download of a damaged part
   * never completes, wherever it was resumed. The caller has checked access.
   * @throws AppError not-found: the bytes were deleted, for example because the link was revoked in the meantime; internal: the stored
   * bytes differ from the uploaded bytes
   */
  async *read(file: LinkFileKey, range: ByteRange): AsyncGenerator<Buffer> {
    let ahead: { piece: Piece; bytes: Promise<Buffer> } | null = null;
    const check = new PartCheck();
    try {
      for await (const piece of this.#pieces(file, range)) {
        const bytes = this.#read(file, piece);
        // If the read fails before it is awaited, this keeps the rejection from counting as unhandled.
        bytes.catch(() => {});
        const ready: typeof ahead = ahead;
        ahead = { piece, bytes };
        if (ready !== null) yield* requestedBytes(ready.piece, check.pass(ready.piece, await ready.bytes));
      }
      if (ahead !== null) yield* requestedBytes(ahead.piece, check.pass(ahead.piece, await ahead.bytes));
    } finally {
      await ahead?.bytes.catch(() => {});
    }
  }

  async #read({ projectId }: LinkFileKey, { part, range }: Piece): Promise<Buffer> {
    const bytes = await this.#objects.get({ projectId, id: part.object }, range);
    if (bytes?.length !== range.end - range.start) throw fileMissing();
    collectGarbageOf(bytes.length);
    return bytes;
  }

  async *#pieces({ projectId, id }: LinkFileKey, { start, end }: ByteRange): AsyncGenerator<Piece> {
    // Find where the first part begins. Each further part begins where the previous part ends.
    let from = start < end ? await this.#startOf({ projectId, id }, start) : end;
    for (let at = start; at < end; from = at) {
      const parts = await this.#database
        .selectFrom('linkFileParts')
        .select(['startsAt', 'octets', 'object', 'digest'])
        .where('projectId', '=', projectId)
        .where('fileId', '=', id)
        .where('startsAt', '>=', String(from))
        .where('startsAt', '<', String(end))
        .orderBy('startsAt')
        .limit(PARTS)
        .execute();
      if (parts.length === 0) return;
      for (const { startsAt, ...part } of parts) {
        const first = Number(startsAt);
        const last = Math.min(first + part.octets, end);
        if (first > at) throw fileMissing();
        const isChecked = last === first + part.octets;
        for (let next = isChecked ? first : at; next < last; ) {
          const stop = Math.min(next + READ_BYTES, last);
          const skippedOctets = Math.min(Math.max(0, at - next), stop - next);
          yield { part, range: { start: next - first, end: stop - first }, skippedOctets, isChecked };
          next = stop;
        }
        at = last;
      }
    }
  }

  /** The start of the part that contains a byte. @throws AppError not-found if no part begins at or before the byte */
  async #startOf({ projectId, id }: LinkFileKey, at: number): Promise<number> {
    const part = await this.#database
      .selectFrom('linkFileParts')
      .select(['startsAt'])
      .where('projectId', '=', projectId)
      .where('fileId', '=', id)
      .where('startsAt', '<=', String(at))
      .orderBy('startsAt', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (part === undefined) throw fileMissing();
    return Number(part.startsAt);
  }
}

/** Compares parts with their digests while their pieces are read. */
class PartCheck {
  #hash: Hash = createHash('sha256');

  /** @throws AppError internal */
  pass({ part, range, isChecked }: Piece, bytes: Buffer): Buffer {
    if (!isChecked) return bytes;
    this.#hash.update(bytes);
    if (range.end < part.octets) return bytes;
    const digest = this.#hash.digest();
    this.#hash = createHash('sha256');
    if (!digest.equals(part.digest))
      throw new AppError('internal', `The object ${part.object} has other bytes than were sent.`);
    return bytes;
  }
}

function* requestedBytes({ skippedOctets }: Piece, bytes: Buffer): Generator<Buffer> {
  if (skippedOctets < bytes.length) yield bytes.subarray(skippedOctets);
}

function fileMissing(): AppError {
  return new AppError('not-found', 'The file no longer exists.');
}
