/** Reads drafts created by mail apps, so that the composer can continue them. */
import type { Blobs } from '../../blobs/blobs.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import type { PartsReader } from '../../store/facts/parts-reader.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { sanitizeOutgoing } from './clean-html.ts';
import { type DraftContent, oneLine, type TypedAddress } from './draft-content.ts';
import { readTexts } from './message-files.ts';
import { findStored, openMessage, type QuotedMessage } from './stored-message.ts';
import type { DraftFileImporter } from './draft-file-importer.ts';
import { uploadsAddress } from './uploads-address.ts';

export interface ForeignDraftsOptions {
  database: Database;
  blobs: Pick<Blobs, 'open'>;
  parts: Pick<PartsReader, 'read'>;
  fileImporter: Pick<DraftFileImporter, 'import'>;
}

export class ForeignDrafts {
  readonly #options: ForeignDraftsOptions;

  constructor(options: ForeignDraftsOptions) {
    this.#options = options;
  }

  /** @throws AppError not-found */
  async read(mailbox: MailboxKey, objectId: string): Promise<DraftContent> {
    const { database, fileImporter } = this.#options;
    const stored = await findStored(database, mailbox, objectId, 'drafts');
    if (stored === null) throw new AppError('not-found', 'This draft no longer exists.');
    const { html, text, files } = readTexts(await openMessage(this.#options, mailbox, stored));
    const uploads = await fileImporter.import(
      mailbox,
      files.map(({ number }) => ({ message: objectId, part: number })),
    );
    const byName = new Map(
      files.flatMap(({ contentId }, at) => {
        const upload = uploads[at];
        return contentId === null || upload === undefined ? [] : [[contentId, encodeId('upl', upload.id)]];
      }),
    );
    return {
      ...peopleOf(stored),
      subject: oneLine(stored.subject),
      html:
        html === null
          ? null
          : await sanitizeOutgoing(
              html.replace(/\bcid:([^"'\s>]{1,500})/g, (whole, id: string) => {
                const upload = byName.get(decoded(id));
                return upload === undefined ? whole : `cid:${upload}`;
              }),
              uploadsAddress(mailbox.mailboxId),
            ),
      text: html === null ? (text ?? '') : '',
      quotedHtml: null,
      // If the mail app adds a signature, the draft already contains it.
      withSignature: false,
      inReplyTo: null,
      mode: null,
      attachments: uploads.map(({ id }) => id),
      answers: stored.ancestors.at(-1) ?? null,
      references: stored.ancestors,
    };
  }
}

function peopleOf({ addresses }: QuotedMessage): Pick<DraftContent, 'from' | 'to' | 'cc' | 'bcc'> {
  const people = (list: QuotedMessage['addresses']['to']): TypedAddress[] =>
    list.map(({ name, address }) => ({ name: oneLine(name) || null, address }));
  return {
    from: addresses.from[0]?.address ?? null,
    to: people(addresses.to),
    cc: people(addresses.cc),
    bcc: people(addresses.bcc),
  };
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
