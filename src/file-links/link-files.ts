/** Reads the bytes of files that were uploaded for links. */
import type { ByteRange, ObjectStore } from '../blobs/object-store.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import { collectGarbageOf } from './garbage.ts';
import { READ_BYTES } from './limits.ts';

/** A file, and whose it is. */
export interface LinkFileKey {
  readonly projectId: string;
  readonly id: string;
}

interface Piece {
  object: string;
  range: ByteRange;
}

/** Parts that are looked up at once: a file may have tens of thousands. */
const PARTS = 32;
/** What lies in memory before garbage is collected: V8 knows little of buffers, and lets a hundred megabytes of them lie. */
const UNCOLLECTED_BYTES = 8 * 1024 * 1024;

export class LinkFiles {
  readonly #database: Database;
  readonly #objects: Pick<ObjectStore, 'get'>;
  #uncollected = 0;

  constructor(database: Database, objects: Pick<ObjectStore, 'get'>) {
    this.#database = database;
    this.#objects = objects;
  }

  /**
   * The bytes of a range, in pieces of 256 KiB at most, one of them read ahead. The range ends where the file ends, as far as it is here.
   * Whoever reads has found out before that they may.
   * @throws AppError not-found: the bytes are gone, of a link that was revoked meanwhile too
   */
  async *read(file: LinkFileKey, range: ByteRange): AsyncGenerator<Buffer> {
    let ahead: Promise<Buffer> | null = null;
    try {
      for await (const piece of this.#pieces(file, range)) {
        const reading = this.#read(file, piece);
        // It is waited for later, and may fail before that.
        reading.catch(() => {});
        const ready: Promise<Buffer> | null = ahead;
        ahead = reading;
        if (ready !== null) yield await ready;
      }
      if (ahead !== null) yield await ahead;
    } finally {
      await ahead?.catch(() => {});
    }
  }

  async #read({ projectId }: LinkFileKey, { object, range }: Piece): Promise<Buffer> {
    const bytes = await this.#objects.get({ projectId, id: object }, range);
    if (bytes?.length !== range.end - range.start) throw gone();
    collectGarbageOf(bytes.length);
    this.#uncollected += bytes.length;
    if (this.#uncollected >= UNCOLLECTED_BYTES) {
      this.#uncollected = 0;
      globalThis.gc?.({ type: 'minor' });
    }
    return bytes;
  }

  async *#pieces({ projectId, id }: LinkFileKey, { start, end }: ByteRange): AsyncGenerator<Piece> {
    // From there on each part begins where the one before it ends.
    let from = start < end ? await this.#startOf({ projectId, id }, start) : end;
    for (let at = start; at < end; from = at) {
      const parts = await this.#database
        .selectFrom('linkFileParts')
        .select(['startsAt', 'octets', 'object'])
        .where('projectId', '=', projectId)
        .where('fileId', '=', id)
        .where('startsAt', '>=', String(from))
        .where('startsAt', '<', String(end))
        .orderBy('startsAt')
        .limit(PARTS)
        .execute();
      if (parts.length === 0) return;
      for (const { startsAt, octets, object } of parts) {
        const first = Number(startsAt);
        const last = Math.min(first + octets, end);
        if (first > at) throw gone();
        for (; at < last; ) {
          const next = Math.min(at + READ_BYTES, last);
          yield { object, range: { start: at - first, end: next - first } };
          at = next;
        }
      }
    }
  }

  /** Of the part that a byte is in. @throws AppError not-found: there is none before it either */
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
    if (part === undefined) throw gone();
    return Number(part.startsAt);
  }
}

function gone(): AppError {
  return new AppError('not-found', 'The file is gone.');
}
