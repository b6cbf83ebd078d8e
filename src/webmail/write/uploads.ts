/** Uploaded files for attachments. Files are stored in pieces, so that no process holds a whole file in memory. */
import { sql } from 'kysely';
import type { Blobs } from '../../blobs/blobs.ts';
import { type PreparedBlob, writingBlobs } from '../../blobs/prepared-blob.ts';
import { columnsOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { newUuid } from '../../model/ids.ts';
import { PLAN_LIMITS } from '../../model/plans.ts';
import { FairSlots } from '../../concurrency/fair-slots.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import {
  MAX_OPEN_OF_MAILBOX,
  MAX_OPEN_OF_PROJECT,
  MAX_OPEN_UPLOADS,
  MAX_UPLOAD_BYTES,
  MAX_UPLOADS,
  PIECE_BYTES,
} from './limits.ts';
import { safeType } from './mime-tree.ts';
import { WholeLines } from './whole-lines.ts';

export interface UploadRow {
  id: string;
  name: string;
  type: string;
  octets: number;
  /** The message and part from which the file was copied. Null if the client uploaded the file. */
  source: string | null;
}

export interface NewUpload {
  name: string;
  type: string;
  source: string | null;
  octets: AsyncIterable<Uint8Array>;
  /** The declared length. Null if the client declared no length. */
  declared: number | null;
}

const USED = columnsOf({ plan: shaped<keyof typeof PLAN_LIMITS>('text'), files: 'int4', octets: 'float8' });

const MB = 1024 * 1024;
const COLLECTED_BYTES = 8 * MB;
/**
 * The number of pieces hashed and written at a time, at most one per project. More pieces would delay other requests, which also need the
 * CPU and the disk.
 */
const PIECES_AT_A_TIME = 2;
const NEVER = new AbortController().signal;
const NOT_IN_NAMES = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}/\\]+/gu;
const MAX_NAME = 255;

const PIECES = rowsOf<{ position: number; digest: Buffer }>('p', {
  position: ['int2', ({ position }) => position],
  digest: ['bytea', ({ digest }) => digest],
});

export class Uploads {
  readonly #database: Database;
  readonly #blobs: Pick<Blobs, 'prepare' | 'open' | 'discard'>;
  /** The number of open uploads of each mailbox and each project. */
  readonly #open = new Map<string, number>();
  #allOpen = 0;
  readonly #slots = new FairSlots({
    slots: PIECES_AT_A_TIME,
    slotsPerOwner: 1,
    maxWaitingPerOwner: MAX_OPEN_UPLOADS,
    makeError: () => new Error('more uploads are open than the limit allows'),
  });
  /** Bytes received since the last garbage collection. */
  #uncollected = 0;

  constructor(database: Database, blobs: Pick<Blobs, 'prepare' | 'open' | 'discard'>) {
    this.#database = database;
    this.#blobs = blobs;
  }

  /**
   * @throws AppError validation-failed if the file is too large or the mailbox has too many files; rate-limited if too many uploads are
   * open
   */
  async receive(mailbox: MailboxKey, upload: NewUpload): Promise<UploadRow> {
    const { projectId, mailboxId } = mailbox;
    if (
      this.#openOf(mailboxId) >= MAX_OPEN_OF_MAILBOX ||
      this.#openOf(projectId) >= MAX_OPEN_OF_PROJECT ||
      this.#allOpen >= MAX_OPEN_UPLOADS
    )
      throw new AppError('rate-limited', 'Too many files are being uploaded. Try again in a moment.', {
        retryAfterSeconds: 2,
      });
    this.#count(mailbox, 1);
    try {
      return await this.#receive(mailbox, upload);
    } finally {
      this.#count(mailbox, -1);
    }
  }

  #openOf(owner: string): number {
    return this.#open.get(owner) ?? 0;
  }

  #count({ projectId, mailboxId }: MailboxKey, by: 1 | -1): void {
    this.#allOpen += by;
    for (const owner of [projectId, mailboxId]) {
      const left = this.#openOf(owner) + by;
      if (left === 0) this.#open.delete(owner);
      else this.#open.set(owner, left);
    }
  }

  async #receive(mailbox: MailboxKey, upload: NewUpload): Promise<UploadRow> {
    const quota = await this.#quota(mailbox);
    if (upload.declared !== null) refuse(upload.declared, quota);
    const prepared: PreparedBlob[] = [];
    const type = safeType(upload.type);
    const lines = type === 'message/rfc822' ? new WholeLines() : null;
    let octets = 0;
    try {
      for await (const piece of inPieces(upload.octets)) {
        octets += piece.length;
        refuse(octets, quota);
        lines?.add(piece);
        this.#forgetChunks(piece.length);
        prepared.push(
          await this.#slots.run(mailbox.projectId, NEVER, () =>
            this.#blobs.prepare(mailbox.projectId, piece),
          ),
        );
      }
      const row: UploadRow = {
        id: newUuid(),
        name: fileName(upload.name),
        type: lines === null || lines.isFit() ? type : 'application/octet-stream',
        octets,
        source: upload.source,
      };
      await this.#write(mailbox, row, prepared);
      return row;
    } catch (error) {
      for (const blob of prepared) await this.#blobs.discard(blob).catch(() => {});
      throw error;
    }
  }

  /** Runs a minor garbage collection, which takes a millisecond. Otherwise, V8 would let about 60 MB of copied chunks accumulate. */
  #forgetChunks(octets: number): void {
    this.#uncollected += octets;
    if (this.#uncollected < COLLECTED_BYTES) return;
    this.#uncollected = 0;
    globalThis.gc?.({ type: 'minor' });
  }

  /** Finds uploads by id, in order. An element is null if the mailbox has no such upload. */
  async find(mailbox: MailboxKey, ids: readonly string[]): Promise<(UploadRow | null)[]> {
    const rows = await this.#select(mailbox)
      .where('id', 'in', [...ids, mailbox.mailboxId])
      .execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  }

  /** Finds uploads that were copied from messages earlier, by the message and part from which they were copied. */
  async findImported(mailbox: MailboxKey, sources: readonly string[]): Promise<Map<string, UploadRow>> {
    if (sources.length === 0) return new Map();
    const rows = await this.#select(mailbox).where('source', 'in', sources).execute();
    return new Map(rows.map((row) => [row.source ?? '', row]));
  }

  /** Reads the bytes in pieces. @throws AppError not-found if the bytes no longer exist */
  async *read({ projectId, mailboxId }: MailboxKey, id: string): AsyncGenerator<Buffer> {
    const pieces = await this.#database
      .selectFrom('uploadPieces')
      .select('digest')
      .where('projectId', '=', projectId)
      .where('mailboxId', '=', mailboxId)
      .where('uploadId', '=', id)
      .orderBy('position')
      .execute();
    for (const { digest } of pieces) {
      const bytes = await (await this.#blobs.open(projectId, digest))?.read();
      if (bytes === null || bytes === undefined)
        throw new AppError('not-found', 'This file no longer exists.');
      yield bytes;
    }
  }

  #select({ projectId, mailboxId }: MailboxKey) {
    return this.#database
      .selectFrom('uploads')
      .select(['id', 'name', 'type', 'octets', 'source'])
      .where('projectId', '=', projectId)
      .where('mailboxId', '=', mailboxId);
  }

  async #quota({ projectId, mailboxId }: MailboxKey): Promise<UploadQuota> {
    const { rows } = await USED.sql`
      select p.plan, count(u.id)::int as files, coalesce(sum(u.octets), 0)::float8 as octets
      from projects p left join uploads u on u.project_id = p.id and u.mailbox_id = ${mailboxId}
      where p.id = ${projectId} group by p.plan`.execute(this.#database);
    const { plan = 'free', files = 0, octets = 0 } = rows[0] ?? {};
    if (files >= MAX_UPLOADS)
      throw validationError({
        file: `The drafts of a mailbox can have at most ${MAX_UPLOADS} files. Send or delete some drafts.`,
      });
    return { file: PLAN_LIMITS[plan].fileBytes, all: MAX_UPLOAD_BYTES - octets };
  }

  async #write(
    { projectId, mailboxId }: MailboxKey,
    { id, name, type, octets, source }: UploadRow,
    prepared: readonly PreparedBlob[],
  ): Promise<void> {
    const pieces = prepared.map(({ digest }, position) => ({ position, digest }));
    await sql`
      with ${writingBlobs(prepared).sql}, upload as (
        insert into uploads (project_id, mailbox_id, id, name, type, octets, source, used_at)
        values (${projectId}, ${mailboxId}, ${id}, ${name}, ${type}, ${octets}, ${source}, ${clock.now()})
      )
      insert into upload_pieces (project_id, mailbox_id, upload_id, ${PIECES.names})
      select ${projectId}::uuid, ${mailboxId}::uuid, ${id}::uuid, ${PIECES.values} from ${PIECES.from(pieces)}`.execute(
      this.#database,
    );
  }
}

interface UploadQuota {
  /** Maximum size of one file, from the plan. */
  file: number;
  /** Remaining capacity of the mailbox. */
  all: number;
}

function refuse(octets: number, { file, all }: UploadQuota): void {
  if (octets > file)
    throw validationError({
      file: `The file is larger than ${file / MB} MB, the limit for one file in the plan of the project. Store it elsewhere, and send a link to it instead.`,
    });
  if (octets > all)
    throw validationError({
      file: `The files in the drafts of a mailbox can have at most ${MAX_UPLOAD_BYTES / MB} MB in total. Send or delete some drafts.`,
    });
}

/**
 * Splits octets into pieces. Reuses one buffer, so a consumer must finish a piece before it requests the next piece. Attack: chunks of one
 * byte each, which would need a hundred times as much memory if they were stored as received.
 */
async function* inPieces(octets: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  let length = 0;
  for await (const chunk of octets) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + PIECE_BYTES - length);
      buffer.set(part, length);
      at += part.length;
      length += part.length;
      if (length < PIECE_BYTES) continue;
      yield buffer;
      length = 0;
    }
  }
  if (length > 0) yield buffer.subarray(0, length);
}

/** A name that is safe in a message and on the recipient's disk. */
function fileName(name: string): string {
  const safe = name.toWellFormed().normalize('NFC').replace(NOT_IN_NAMES, '_').trim();
  return [...safe].slice(-MAX_NAME).join('') || 'file';
}
