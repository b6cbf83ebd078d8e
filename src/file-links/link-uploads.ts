/**
 * Files that are sent to become links, in parts: each is an object of its own, durable with its row before the offset moves. So whoever is killed loses what was
 * not a part yet, and goes on from the offset (docs/decisions/0089-file-links.md).
 */
import { sql } from 'kysely';
import type { ObjectStore } from '../blobs/object-store.ts';
import { TIMINGS as BLOB_TIMINGS } from '../blobs/timings.ts';
import type { Database } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import { AppError, validationError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { newUuid, timeOf } from '../model/ids.ts';
import { linkUploadedBytes, linkUploads } from '../observe/instruments.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import type { Checksum } from './checksums.ts';
import { LOOSE_MS, MIN_PART_BYTES, PART_BYTES } from './limits.ts';
import { PartBuffers } from './part-buffers.ts';
import { type CollectedPart, PartCollector } from './part-collector.ts';

/** A file of a mailbox. */
export interface UploadKey extends MailboxKey {
  readonly id: string;
}

/** How far an upload came. */
export interface LinkUpload {
  name: string;
  type: string;
  octets: number;
  received: number;
  crc32: number;
  /** Until then it waits for more. */
  expiresAt: Date;
}

export interface SentBytes {
  /** Where they begin. */
  offset: number;
  octets: AsyncIterator<Uint8Array>;
  /** With one, all of them count or none. */
  checksum: Checksum | null;
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

/** Of the process: with the first bytes of each upload, 40 MiB at the very most. */
const BUFFERS = 8;
const MAX_OPEN = 32;
const MAX_OPEN_OF_MAILBOX = 6;
/** Of one request with a checksum: its parts wait for the last byte. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;

export class LinkUploads {
  readonly #database: Database;
  readonly #objects: Pick<ObjectStore, 'put' | 'delete'>;
  readonly #buffers = new PartBuffers(BUFFERS, PART_BYTES);
  /** One for each upload. They are used again: a new one for each request would wait for the collector. */
  readonly #smallBuffers = new PartBuffers(MAX_OPEN, MIN_PART_BYTES);
  /** How many of each mailbox are on their way. */
  readonly #open = new Map<string, number>();
  #allOpen = 0;

  constructor(database: Database, objects: Pick<ObjectStore, 'put' | 'delete'>) {
    this.#database = database;
    this.#objects = objects;
  }

  /** null: the mailbox has no such file, or its bytes are given up. */
  async find({ projectId, mailboxId, id }: UploadKey): Promise<LinkUpload | null> {
    const row = await this.#database
      .selectFrom('linkFiles')
      .select(['name', 'type', 'octets', 'received', 'crc32', 'touchedAt'])
      .where('projectId', '=', projectId)
      .where('mailboxId', '=', mailboxId)
      .where('id', '=', id)
      .where('goneAt', 'is', null)
      .executeTakeFirst();
    if (row === undefined) return null;
    const { name, type, octets, received, crc32, touchedAt } = row;
    return {
      ...{ name, type, octets: Number(octets), received: Number(received), crc32: Number(crc32) },
      expiresAt: new Date(touchedAt.getTime() + LOOSE_MS),
    };
  }

  /** Gives up what is in no link yet, or not whole. @returns false: there is no such file */
  async remove({ projectId, mailboxId, id }: UploadKey): Promise<boolean> {
    const { numDeletedRows } = await this.#database
      .deleteFrom('linkFiles')
      .where('projectId', '=', projectId)
      .where('mailboxId', '=', mailboxId)
      .where('id', '=', id)
      .where((row) => row.or([row('linkId', 'is', null), row('wholeAt', 'is', null)]))
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  /**
   * Takes bytes of a file. Every part is durable before the next one is.
   * @returns how many bytes of the file are here
   * @throws AppError upload-conflict: they do not begin where the file ends, or somebody else sent the same; payload-too-large: they are more than were announced;
   * checksum-mismatch; not-found; validation-failed: they are too few; rate-limited: too many are on their way; bad-request: the request broke off
   */
  async receive(key: UploadKey, sent: SentBytes): Promise<number> {
    const open = this.#open.get(key.mailboxId) ?? 0;
    if (open >= MAX_OPEN_OF_MAILBOX || this.#allOpen >= MAX_OPEN)
      throw new AppError(
        'rate-limited',
        'Too many files are on their way. Go on with this one in a moment.',
        {
          retryAfterSeconds: 2,
        },
      );
    this.#open.set(key.mailboxId, open + 1);
    this.#allOpen += 1;
    const small = await this.#smallBuffers.take();
    try {
      return await this.#receive(key, sent, small.bytes);
    } finally {
      this.#smallBuffers.give(small);
      const left = (this.#open.get(key.mailboxId) ?? 1) - 1;
      if (left === 0) this.#open.delete(key.mailboxId);
      else this.#open.set(key.mailboxId, left);
      this.#allOpen -= 1;
    }
  }

  async #receive(key: UploadKey, { offset, octets, checksum }: SentBytes, small: Buffer): Promise<number> {
    const file = await this.find(key);
    if (file === null) throw new AppError('not-found', 'There is no such file any more. Send it again.');
    if (file.received !== offset) throw conflict();
    const room = file.octets - offset;
    const writer = new PartWriter({ database: this.#database, objects: this.#objects }, key, offset);
    using collector = new PartCollector(this.#buffers, small, file.crc32);
    let arrived = 0;
    /** Parts wait for the checksum, if there is one. */
    const store = (part: CollectedPart) => writer.add(part, checksum === null);
    try {
      for await (const chunk of inTurns(octets, collector, store, checksum === null)) {
        arrived += chunk.length;
        if (arrived > (checksum === null ? room : Math.min(room, MAX_CHECKED_BYTES)))
          throw new AppError(
            'payload-too-large',
            arrived > room
              ? 'These are more bytes than the file was announced with.'
              : 'Send at most 64 MB at a time with Upload-Checksum.',
          );
        checksum?.add(chunk);
        for await (const part of collector.add(chunk)) await store(part);
      }
      checksum?.verify();
      if (arrived < Math.min(room, MIN_PART_BYTES)) throw tooFew();
      if (collector.length > 0) await store(collector.take());
      const end = await writer.end();
      if (end === file.octets && arrived > 0) linkUploads.inc({ result: 'whole' });
      return end;
    } catch (error) {
      // What has arrived is not to be sent again, if it is worth a part.
      if (error instanceof BrokenOff && checksum === null && collector.length >= MIN_PART_BYTES)
        await store(collector.take()).catch(() => {});
      await writer.giveUp();
      throw error instanceof BrokenOff
        ? new AppError(
            'bad-request',
            'The request broke off before its end. Go on from Upload-Offset of HEAD.',
          )
        : error;
    }
  }
}

class BrokenOff extends Error {}

/** The chunks as they come. When others need the memory, what is collected becomes a part while nothing comes. */
async function* inTurns(
  octets: AsyncIterator<Uint8Array>,
  collector: PartCollector,
  store: (part: CollectedPart) => Promise<void>,
  mayStore: boolean,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const next = octets.next().catch(() => {
      throw new BrokenOff();
    });
    let result: IteratorResult<Uint8Array> | null = null;
    while (result === null) {
      result = await new Promise<IteratorResult<Uint8Array> | null>((resolve, reject) => {
        next.then(resolve, reject);
        if (mayStore) collector.whenWanted(() => resolve(null));
      });
      if (result === null) await store(collector.take());
    }
    if (result.done === true) return;
    yield result.value;
  }
}

/** Writes parts behind each other: one is on its way to the disk while the next one is collected. */
class PartWriter {
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

function conflict(): AppError {
  return new AppError(
    'upload-conflict',
    'The file is not as long as Upload-Offset says, or somebody else is sending it: ask by HEAD how far it is, and go on from there.',
  );
}

function tooFew(): AppError {
  return validationError({
    body: `Send at least ${MIN_PART_BYTES / 1024} KB at a time, or all that is left of the file.`,
  });
}
