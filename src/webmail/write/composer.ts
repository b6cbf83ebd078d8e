/** Serves the composer: saves its content as a draft and opens drafts. */
import type { Database } from '../../db/database.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { sanitizeOutgoing } from './clean-html.ts';
import { type DraftContent, oneLine, type TypedAddress } from './draft-content.ts';
import type { Drafts, StoredDraft } from './drafts.ts';
import { findReadable } from './stored-message.ts';
import type { DraftFileImporter, DraftFileRef } from './draft-file-importer.ts';
import { uploadsIn } from './pinned-uploads.ts';
import type { Uploads } from './uploads.ts';
import { uploadsAddress } from './uploads-address.ts';
import { type MessageWarning, warningsOf } from './warnings.ts';
import { findDraft } from './draft-rows.ts';

/** The content as sent by the client. Only the form of the content has been checked. */
export interface WrittenContent extends Omit<DraftContent, 'attachments' | 'answers' | 'references'> {
  files: readonly DraftFileRef[];
}

export interface WarnedDraft extends StoredDraft {
  warnings: MessageWarning[];
}

export interface ComposerOptions {
  database: Database;
  drafts: Drafts;
  fileImporter: Pick<DraftFileImporter, 'import'>;
  uploads: Pick<Uploads, 'find'>;
}

export class DraftComposer {
  readonly #options: ComposerOptions;

  constructor(options: ComposerOptions) {
    this.#options = options;
  }

  /** @param objectId null if the draft was never saved @throws AppError validation-failed */
  async save(
    mailbox: MailboxKey,
    { client, objectId, written }: { client: string; objectId: string | null; written: WrittenContent },
  ): Promise<WarnedDraft> {
    const { drafts, fileImporter } = this.#options;
    const { files, ...content } = written;
    const prefix = uploadsAddress(mailbox.mailboxId);
    const html = content.html === null ? null : await sanitizeOutgoing(content.html, prefix);
    const uploads = await fileImporter.import(mailbox, [
      ...files,
      ...(await this.#shownIn(mailbox, html ?? '')),
    ]);
    const draft = await drafts.save(mailbox, {
      client,
      objectId,
      content: {
        ...content,
        from: content.from === null ? null : oneLine(content.from),
        to: people(content.to),
        cc: people(content.cc),
        bcc: people(content.bcc),
        subject: oneLine(content.subject),
        html,
        text: content.html === null ? content.text.toWellFormed().replaceAll('\0', '') : '',
        quotedHtml: content.quotedHtml === null ? null : await sanitizeOutgoing(content.quotedHtml, prefix),
        attachments: uploads.map(({ id }) => id),
        ...(await this.#ancestors(mailbox, client, objectId, content)),
      },
    });
    return this.#warned(mailbox, draft);
  }

  /** The images that the text shows, which a canned response or a copied text may have added without attaching them. */
  async #shownIn(mailbox: MailboxKey, html: string): Promise<DraftFileRef[]> {
    const found = await this.#options.uploads.find(mailbox, uploadsIn(html));
    return found.flatMap((row) => (row === null ? [] : [{ upload: row.id }]));
  }

  /** @throws AppError not-found */
  async open(mailbox: MailboxKey, objectId: string): Promise<WarnedDraft> {
    return this.#warned(mailbox, await this.#options.drafts.open(mailbox, objectId));
  }

  async #warned(mailbox: MailboxKey, draft: StoredDraft): Promise<WarnedDraft> {
    return { ...draft, warnings: await warningsOf(this.#options.database, mailbox, draft) };
  }

  /**
   * The header fields that refer to the original message. If the original was deleted in the meantime, the fields from the last save are
   * used.
   */
  async #ancestors(
    mailbox: MailboxKey,
    client: string,
    objectId: string | null,
    { inReplyTo, mode }: Pick<DraftContent, 'inReplyTo' | 'mode'>,
  ): Promise<Pick<DraftContent, 'answers' | 'references'>> {
    const { database } = this.#options;
    const found = inReplyTo === null ? null : await findReadable(database, mailbox, inReplyTo);
    if (found !== null) {
      const { messageId, ancestors } = found.stored;
      const references = [...ancestors, ...(messageId === null ? [] : [messageId])];
      return { answers: mode === 'forward' ? null : messageId, references };
    }
    const before =
      (await findDraft(database, mailbox, { client })) ??
      (objectId === null ? null : await findDraft(database, mailbox, { objectId }));
    // The draft of a mail app refers to the original message only by its header.
    if (before !== null && before.content.inReplyTo === inReplyTo) {
      const { answers, references } = before.content;
      return { answers, references };
    }
    return { answers: null, references: [] };
  }
}

function people(list: readonly TypedAddress[]): TypedAddress[] {
  return list.map(({ name, address }) => ({
    name: name === null ? null : oneLine(name) || null,
    address: oneLine(address),
  }));
}
