/**
 * Turns attachments of existing messages into uploads for a draft. The draft then keeps the files even if the original message is deleted,
 * and the client does not have to download the files and upload them again.
 */
import type { Blobs } from '../../blobs/blobs.ts';
import { validationError } from '../../model/app-error.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import type { PartsReader } from '../../store/facts/parts-reader.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { decodedPart, findFile } from './message-files.ts';
import { findReadable, openMessage, type QuotedMessage } from './stored-message.ts';
import type { Uploads, UploadRow } from './uploads.ts';
import { withoutPrivateFields } from './without-private-fields.ts';
import type { Database } from '../../db/database.ts';

/** A file for a draft: an upload, a part of a message, or the whole message (`part` is null). */
export type DraftFileRef = { upload: string } | { message: string; part: string | null };

export interface DraftFileImporterOptions {
  database: Database;
  blobs: Pick<Blobs, 'open'>;
  parts: Pick<PartsReader, 'read'>;
  uploads: Uploads;
}

export class DraftFileImporter {
  readonly #options: DraftFileImporterOptions;
  /** Only one message is read at a time, because a whole message is held in memory and may have 40 MiB. */
  readonly #lock = new Semaphore(1);

  constructor(options: DraftFileImporterOptions) {
    this.#options = options;
  }

  /** @returns the uploads in order, without duplicates @throws AppError validation-failed if a file does not exist or is too large */
  async import(mailbox: MailboxKey, refs: readonly DraftFileRef[]): Promise<UploadRow[]> {
    const { uploads } = this.#options;
    const sources = refs.flatMap((file) => ('message' in file ? [sourceOf(file)] : []));
    const imported = await uploads.findImported(mailbox, sources);
    const uploaded = await uploads.find(
      mailbox,
      refs.flatMap((file) => ('upload' in file ? [file.upload] : [])),
    );
    const all = new Map<string, UploadRow>();
    let next = 0;
    for (const [at, file] of refs.entries()) {
      const row =
        'upload' in file
          ? (uploaded[next++] ?? null)
          : (imported.get(sourceOf(file)) ?? (await this.#lock.run(() => this.#import(mailbox, file))));
      if (row === null)
        throw validationError({
          attachments: `attachments[${at}]: this file no longer exists. Attach it again.`,
        });
      all.set(row.id, row);
    }
    return [...all.values()];
  }

  async #import(
    mailbox: MailboxKey,
    file: Extract<DraftFileRef, { message: string }>,
  ): Promise<UploadRow | null> {
    const { database, uploads } = this.#options;
    const found = await findReadable(database, mailbox, file.message);
    if (found === null) return null;
    const { stored } = found;
    const message = await openMessage(this.#options, mailbox, stored);
    if (file.part === null) {
      const pieces = withoutPrivateFields(message.raw);
      return uploads.receive(mailbox, {
        name: messageName(stored),
        type: 'message/rfc822',
        source: sourceOf(file),
        octets: inSteps(pieces),
        declared: pieces.reduce((sum, { length }) => sum + length, 0),
      });
    }
    const part = findFile(message, file.part);
    if (part === null) return null;
    return uploads.receive(mailbox, {
      name: part.name,
      type: part.type,
      source: sourceOf(file),
      octets: decodedPart(message.raw, part.part),
      declared: null,
    });
  }
}

function sourceOf({ message, part }: Extract<DraftFileRef, { message: string }>): string {
  return `${message} ${part ?? ''}`;
}

async function* inSteps(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += 1_048_576) yield piece.subarray(at, at + 1_048_576);
}

/** The file name of an attached message, from its subject. */
function messageName({ subject }: Pick<QuotedMessage, 'subject'>): string {
  return `${[...subject].slice(0, 100).join('').trim() || 'message'}.eml`;
}
