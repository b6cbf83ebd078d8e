/**
 * Uploads of files for links, in parts. Each part is a separate object. The object and its row are durable before the offset of the upload
 * advances. So a crash loses only bytes that are being written, and those of requests whose checksum has not been compared yet. The client
 * then continues at the offset (docs/decisions/0089-file-links.md).
 */
import type { Readable } from 'node:stream';
import type { ObjectStore } from '../blobs/object-store.ts';
import type { Database } from '../db/database.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { Semaphore } from '../concurrency/semaphore.ts';
import { linkUploads } from '../observe/instruments.ts';
import type { Checksum } from './checksums.ts';
import { UNLINKED_MS, MIN_PART_BYTES, PART_BYTES, SMALL_PARTS, WRITES_AT_ONCE } from './limits.ts';
import { PartBuffers } from './part-buffers.ts';
import { type CollectedPart, PartCollector } from './part-collector.ts';
import { conflict, type PartStore, PartWriter, type UploadKey } from './part-writer.ts';
import { BrokenOff, consumeChunks, TooSlow } from './sent-chunks.ts';

/** The progress of an upload. */
export interface LinkUpload {
  name: string;
  type: string;
  octets: number;
  received: number;
  crc32: number;
  /** The upload can be continued until this time. */
  expiresAt: Date;
}

export interface SentBytes {
  /** The position in the file of the first sent byte. */
  offset: number;
  octets: Readable;
  /** If there is a checksum, either all bytes are stored or none. */
  checksum: Checksum | null;
}

/** Maximum number of large buffers in a process. Together with a small buffer for each upload they use at most 40 MiB. */
const BUFFERS = 8;
const MAX_OPEN = 32;
/**
 * The maximum number of uploads of one project. It is half of `MAX_OPEN`, so that a project with many mailboxes leaves the other half to
 * other projects.
 */
const MAX_OPEN_OF_PROJECT = 16;
const MAX_OPEN_OF_MAILBOX = 6;
/**
 * The maximum number of bytes in a request with a checksum, because the offset does not advance until the checksum has been compared, at
 * the end of the request.
 */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;

export class LinkUploads {
  readonly #database: Database;
  readonly #parts: PartStore;
  readonly #buffers = new PartBuffers(BUFFERS, PART_BYTES);
  /**
   * One small buffer for each upload. They are reused, because a discarded buffer would occupy memory until the next garbage collection.
   */
  readonly #smallBuffers = new PartBuffers(MAX_OPEN, MIN_PART_BYTES);
  /** The number of uploads in progress for each mailbox and each project. */
  readonly #open = new Map<string, number>();
  #allOpen = 0;
  readonly #nowMs: () => number;

  /** @param nowMs a monotonic clock */
  constructor(
    database: Database,
    objects: Pick<ObjectStore, 'put' | 'delete'>,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#database = database;
    this.#parts = { database, objects, writes: new Semaphore(WRITES_AT_ONCE) };
    this.#nowMs = nowMs;
  }

  /** @returns null if the mailbox has no such file, or the file's bytes were abandoned */
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
      name,
      type,
      octets: Number(octets),
      received: Number(received),
      crc32: Number(crc32),
      expiresAt: new Date(touchedAt.getTime() + UNLINKED_MS),
    };
  }

  /** Abandons a file that is in no link yet, or incomplete. @returns false if the mailbox has no such file */
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
   * Receives bytes of a file. The offset advances part by part.
   * @returns the number of bytes of the file that have been received so far
   * @throws AppError upload-conflict: the bytes do not begin at the end of the file, or another request sent the same bytes;
   * payload-too-large: more bytes than announced; validation-failed: too few bytes; checksum-mismatch; not-found; rate-limited: too many
   * uploads are in progress; bad-request: the request was cut off, or its bytes arrived too slowly
   */
  async receive(key: UploadKey, sent: SentBytes): Promise<number> {
    const [ofMailbox, ofProject] = [this.#openOf(key.mailboxId), this.#openOf(key.projectId)];
    if (ofMailbox >= MAX_OPEN_OF_MAILBOX || ofProject >= MAX_OPEN_OF_PROJECT || this.#allOpen >= MAX_OPEN)
      throw new AppError(
        'rate-limited',
        'Too many files are being uploaded. Continue this upload in a few seconds.',
        {
          retryAfterSeconds: 2,
        },
      );
    this.#count(key, 1);
    const small = await this.#smallBuffers.take();
    try {
      return await this.#receive(key, sent, small.bytes);
    } finally {
      this.#smallBuffers.release(small);
      this.#count(key, -1);
    }
  }

  #openOf(id: string): number {
    return this.#open.get(id) ?? 0;
  }

  #count({ projectId, mailboxId }: UploadKey, more: 1 | -1): void {
    this.#allOpen += more;
    for (const id of [projectId, mailboxId]) {
      const now = this.#openOf(id) + more;
      if (now === 0) this.#open.delete(id);
      else this.#open.set(id, now);
    }
  }

  async #receive(key: UploadKey, { offset, octets, checksum }: SentBytes, small: Buffer): Promise<number> {
    const file = await this.find(key);
    if (file === null) throw new AppError('not-found', 'The file no longer exists. Upload it again.');
    if (file.received !== offset) throw conflict();
    const free = file.octets - offset;
    const writer = new PartWriter(this.#parts, key, offset);
    using collector = new PartCollector(this.#buffers, small, file.crc32);
    let arrived = 0;
    /** With a checksum, the offset does not advance until the checksum has been compared. */
    const store = (part: CollectedPart) => writer.add(part, checksum === null);
    const take = (chunk: Uint8Array) => {
      arrived += chunk.length;
      if (arrived > free)
        throw new AppError(
          'payload-too-large',
          'The upload is larger than its announced size. Create a new upload with the right size.',
        );
      if (checksum !== null && arrived > MAX_CHECKED_BYTES)
        throw new AppError('payload-too-large', 'Send at most 64 MB at a time with Upload-Checksum.');
      checksum?.add(chunk);
      return collector.add(chunk, store);
    };
    try {
      await consumeChunks(octets, { collector, take, store, nowMs: this.#nowMs });
      checksum?.verify();
      if (arrived < Math.min(free, MIN_PART_BYTES) && !(await this.#mayHaveSmallParts(key, file.octets)))
        throw tooFew();
      if (collector.length > 0) await store(collector.take());
      const end = await writer.end();
      if (end === file.octets && arrived > 0) linkUploads.inc({ result: 'whole' });
      return end;
    } catch (error) {
      // Store the bytes that have arrived, unless they are too few for a part.
      const isCutOff = error instanceof BrokenOff || error instanceof TooSlow;
      if (isCutOff && checksum === null && collector.length >= MIN_PART_BYTES)
        await store(collector.take()).catch(() => {});
      await writer.abandon();
      throw error instanceof BrokenOff
        ? new AppError(
            'bad-request',
            'The connection closed before the request was complete. Get the current Upload-Offset with HEAD, and continue from there.',
          )
        : error;
    }
  }

  /**
   * Whether a file may have another small part. Attack: a client sends a file in tiny requests, which tus allows, and each costs a row and
   * an object. So a file may have only a few parts more than if all its parts had the minimum size.
   */
  async #mayHaveSmallParts({ projectId, id }: UploadKey, octets: number): Promise<boolean> {
    const { parts } = await this.#database
      .selectFrom('linkFileParts')
      .select((row) => row.fn.countAll<string>().as('parts'))
      .where('projectId', '=', projectId)
      .where('fileId', '=', id)
      .executeTakeFirstOrThrow();
    return Number(parts) < octets / MIN_PART_BYTES + SMALL_PARTS;
  }
}

function tooFew(): AppError {
  return validationError({
    body: `Send at least ${MIN_PART_BYTES / 1024} KB at a time, or the whole rest of the file.`,
  });
}
