/** Writes the parts of a file, and moves its offset (docs/decisions/0089-file-links.md). */
import { sql } from 'kysely';
import type { ObjectStore } from '../blobs/object-store.ts';
import { TIMINGS as BLOB_TIMINGS } from '../blobs/timings.ts';
import type { Database } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import { AppError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { newUuid, timeOf } from '../model/ids.ts';
import { linkUploadedBytes } from '../observe/instruments.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
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

/** Writes parts behind each other: one is on its way to the disk while the next one is collected. */
export class PartWriter {
  readonly #to: { database: Database; objects: Pick<ObjectStore, 'put' | 'delete'> };
  readonly #key: UploadKey;
  /** Where the next part begins. */
  #end: number;
  /** How far the row is. */
  #durable: number;
  #writing: Promise<void> = Promise.resolve();
  /** Objects that have no row yet. */
  readonly #waiting: StoredPart[] = [];
  #crc32 = 0;

  constructor(
    to: { database: Database; objects: Pick<ObjectStore, 'put' | 'delete'> },
    key: UploadKey,
    offset: number,
  ) {
    this.#to = to;
    this.#key = key;
    this.#end = offset;
    this.#durable = offset;
  }

  /** @param moves whether the offset moves with this part @throws what the part before it has met */
  async add({ bytes, digest, crc32, release }: CollectedPart, moves: boolean): Promise<void> {
    try {
      await this.#writing;
    } catch (error) {
      release();
      throw error;
    }
    const part = { startsAt: this.#end, octets: bytes.length, object: newUuid(), digest };
    this.#end += bytes.length;
    this.#writing = this.#put(part, bytes, crc32, moves).finally(release);
    this.#writing.catch(() => {});
  }

  /** @returns how many bytes of the file are durable */
  async end(): Promise<number> {
    await this.#writing;
    await this.#move();
    return this.#durable;
  }

  /** What has no row is not to lie there for a day. */
  async giveUp(): Promise<void> {
    await this.#writing.catch(() => {});
    for (const { object } of this.#waiting.splice(0))
      await this.#to.objects.delete({ projectId: this.#key.projectId, id: object }).catch(() => {});
  }

  async #put(part: StoredPart, bytes: Buffer, crc: number, moves: boolean): Promise<void> {
    this.#waiting.push(part);
    await this.#to.objects.put({ projectId: this.#key.projectId, id: part.object }, bytes);
    this.#crc32 = crc;
    if (moves) await this.#move();
  }

  /**
   * The offset moves from where it was known to be, or not at all: of two who send the same bytes one is first, and the other one leaves no trace. There is no lock that
   * could outlive its process.
   */
  async #move(): Promise<void> {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const now = clock.now();
    // Its object may be taken for a stray one.
    if (now.getTime() - timeOf(first.object).getTime() > BLOB_TIMINGS.strayMs / 2) throw conflict();
    // When the answer is lost nobody knows whether they have rows: from here on only an answer may have them deleted.
    const parts = this.#waiting.splice(0);
    const { projectId, mailboxId, id } = this.#key;
    const received = this.#durable + parts.reduce((sum, { octets }) => sum + octets, 0);
    const { numAffectedRows } = await sql`
      with moved as (
        update link_files set received = ${received}, crc32 = ${this.#crc32}, touched_at = ${now},
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
      this.#waiting.push(...parts);
      throw conflict();
    }
    linkUploadedBytes.inc(received - this.#durable);
    this.#durable = received;
  }
}

/** Somebody else has moved the offset, or it never was there. */
export function conflict(): AppError {
  return new AppError(
    'upload-conflict',
    'The file is not as long as Upload-Offset says, or somebody else is sending it: ask by HEAD how far it is, and go on from there.',
  );
}
