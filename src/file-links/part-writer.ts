/** Writes the parts of an uploaded file and advances its upload offset (docs/decisions/0089-file-links.md). */
import { sql } from 'kysely';
import type { ObjectStore } from '../blobs/object-store.ts';
import { TIMINGS as BLOB_TIMINGS } from '../blobs/timings.ts';
import type { Database } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import { AppError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { newUuid, timeOf } from '../model/ids.ts';
import type { Semaphore } from '../concurrency/semaphore.ts';
import { linkUploadedBytes } from '../observe/instruments.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { WRITES_AT_ONCE } from './limits.ts';
import type { CollectedPart } from './part-collector.ts';

/** A file of a mailbox. */
export interface UploadKey extends MailboxKey {
  readonly id: string;
}

interface StoredPart {
  startsAt: number;
  octets: number;
  object: string;
  digest: Buffer;
}

const PARTS = rowsOf<StoredPart>('p', {
  starts_at: ['int8', ({ startsAt }) => startsAt],
  octets: ['int4', ({ octets }) => octets],
  object: ['uuid', ({ object }) => object],
  digest: ['bytea', ({ digest }) => digest],
});

/** A part whose object is written or being written, and which has no row yet. */
interface WaitingPart extends StoredPart {
  /** The checksum of the file up to the end of this part. */
  crc32: number;
  isStored: boolean;
}

/** The dependencies that all writers of a process share. */
export interface PartStore {
  readonly database: Database;
  readonly objects: Pick<ObjectStore, 'put' | 'delete'>;
  /** Limits writes to `WRITES_AT_ONCE`. */
  readonly writes: Semaphore;
}

/**
 * Writes the parts of one request while the next part is collected. Writes may end in any order, but the offset advances in the order of
 * the parts.
 */
export class PartWriter {
  readonly #to: PartStore;
  readonly #key: UploadKey;
  /** The start of the next part in the file. */
  #end: number;
  /** The offset as stored in the file's row. */
  #durable: number;
  /** Writes in progress, oldest first. */
  readonly #writing: Promise<void>[] = [];
  #moving: Promise<void> = Promise.resolve();
  /** Parts without a row, in the order of the file. */
  readonly #waiting: WaitingPart[] = [];

  constructor(to: PartStore, key: UploadKey, offset: number) {
    this.#to = to;
    this.#key = key;
    this.#end = offset;
    this.#durable = offset;
  }

  /**
   * @param moves whether the offset may advance past the part as soon as the part is written, before `end`
   * @throws the error of an earlier part
   */
  async add({ bytes, digest, crc32, release }: CollectedPart, moves: boolean): Promise<void> {
    try {
      if (this.#writing.length === WRITES_AT_ONCE) {
        // If this write failed, `await` throws before `shift`. The write stays in `#writing`, so that `end` throws the error too.
        await this.#writing[0];
        void this.#writing.shift();
      }
      // Limit the number of parts that are written but have no row yet.
      if (this.#waiting.length >= 2 * WRITES_AT_ONCE) await this.#moving;
    } catch (error) {
      release();
      throw error;
    }
    const part = { startsAt: this.#end, octets: bytes.length, object: newUuid(), digest, crc32 };
    this.#end += bytes.length;
    const writing = this.#write({ ...part, isStored: false }, bytes, release, moves);
    writing.catch(() => {});
    this.#writing.push(writing);
  }

  /** @returns the number of durable bytes of the file */
  async end(): Promise<number> {
    await Promise.all(this.#writing);
    await this.#move();
    return this.#durable;
  }

  /** Deletes the objects that have no row. The sweep would delete them too, but only after a day. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.#writing);
    await this.#moving.catch(() => {});
    for (const { object } of this.#waiting.splice(0))
      await this.#to.objects.delete({ projectId: this.#key.projectId, id: object }).catch(() => {});
  }

  async #write(part: WaitingPart, bytes: Buffer, release: () => void, moves: boolean): Promise<void> {
    this.#waiting.push(part);
    try {
      const name = { projectId: this.#key.projectId, id: part.object };
      await this.#to.writes.run(() => this.#to.objects.put(name, bytes));
    } finally {
      release();
    }
    part.isStored = true;
    // An error of this call is not lost: the next `add` or `end` waits for `#moving` and throws it.
    if (moves) this.#move().catch(() => {});
  }

  /** Runs one `#moveStored` at a time. Parts whose objects are stored during a run get their rows in the next run. */
  #move(): Promise<void> {
    this.#moving = this.#moving.then(() => this.#moveStored());
    return this.#moving;
  }

  /**
   * Advances the offset past the written parts, but only if it still has the expected value. If two requests send the same bytes, the first
   * advances the offset, and the second changes nothing. This is safe without a lock, which would remain if the process died.
   */
  async #moveStored(): Promise<void> {
    const inFlight = this.#waiting.findIndex(({ isStored }) => !isStored);
    const parts = inFlight === -1 ? [...this.#waiting] : this.#waiting.slice(0, inFlight);
    const [first, last] = [parts[0], parts.at(-1)];
    if (first === undefined || last === undefined) return;
    const now = clock.now();
    // An object that is older than this and has no row may soon be deleted as a stray, so do not give the parts rows now.
    if (now.getTime() - timeOf(first.object).getTime() > BLOB_TIMINGS.strayMs / 2) throw conflict();
    // Remove the parts here so that `abandon` does not delete their objects: if the connection to the database is lost, the rows may exist
    // all the same. Only a response that says otherwise puts the parts back.
    this.#waiting.splice(0, parts.length);
    const { projectId, mailboxId, id } = this.#key;
    const received = last.startsAt + last.octets;
    const { numAffectedRows } = await sql`
      with moved as (
        update link_files set received = ${received}, crc32 = ${last.crc32}, touched_at = ${now},
          whole_at = case when octets = ${received} then ${now}::timestamptz end
        where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${id}
          and received = ${this.#durable} and gone_at is null
        returning project_id, id
      )
      insert into link_file_parts (project_id, file_id, ${PARTS.names})
      select m.project_id, m.id, ${PARTS.values} from moved m cross join ${PARTS.from(parts)}`.execute(
      this.#to.database,
    );
    if (numAffectedRows !== BigInt(parts.length)) {
      this.#waiting.unshift(...parts);
      throw conflict();
    }
    linkUploadedBytes.inc(received - this.#durable);
    this.#durable = received;
  }
}

/** The error if the bytes of the request do not continue the upload where it is. */
export function conflict(): AppError {
  return new AppError(
    'upload-conflict',
    'The offset does not match the upload, or another client is uploading the file. Get the current Upload-Offset with HEAD, and continue from there.',
  );
}
