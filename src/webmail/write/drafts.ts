/**
 * Drafts. A draft is a message in Drafts, which mail apps see and change, and a row with the data that a message cannot hold. Each save
 * replaces the message with a new one, in one transaction with the row.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Blobs } from '../../blobs/blobs.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { namedMailbox } from '../../mailboxes/named-mailbox.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { newUuid } from '../../model/ids.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import { FLAG } from '../../store/flags.ts';
import type { NewMessage } from '../../store/append.ts';
import type { FactsReader } from '../../store/facts/facts-reader.ts';
import { lockForWriting } from '../../store/lock-for-writing.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { NotReplaced } from '../../store/replace-message.ts';
import type { Store } from '../../store/store.ts';
import { composeDraft, type ComposedDraft } from './compose-draft.ts';
import type { DraftContent } from './draft-content.ts';
import { deleteDraft, type DraftRow, findDraft, isQueuedOrSent, writeDraft } from './draft-rows.ts';
import type { ForeignDrafts } from './foreign-drafts.ts';
import { findStored } from './stored-message.ts';
import type { Uploads, UploadRow } from './uploads.ts';

export interface DraftsOptions {
  database: Database;
  store: Pick<Store, 'appendIn' | 'ensureFolders' | 'replaceIn'>;
  blobs: Pick<Blobs, 'prepare'>;
  facts: Pick<FactsReader, 'read'>;
  uploads: Pick<Uploads, 'find' | 'read'>;
  /** Reads drafts of mail apps. */
  foreign: Pick<ForeignDrafts, 'read'>;
}

export interface StoredDraft {
  row: DraftRow;
  /** The object id of the draft's message in Drafts. */
  objectId: string;
  uploads: UploadRow[];
  /** The size of the message as it would be sent, without the signature. */
  octets: number;
  conflict: string | null;
}

/** A request to save the content of the composer. */
export interface Saving {
  client: string;
  /** The message that was saved last, or from which the composer was opened; null if nothing is saved yet. */
  objectId: string | null;
  content: DraftContent;
}

const CHANGED =
  'The draft was changed, sent or deleted elsewhere in the meantime. Your version was saved as a separate draft.';
/** The maximum number of attempts to save a draft, if other requests save the same draft between the read and the lock. */
const MAX_TRIES = 5;

class Changed extends Error {}

export class Drafts {
  readonly #options: DraftsOptions;

  constructor(options: DraftsOptions) {
    this.#options = options;
  }

  /** @throws AppError validation-failed if the mailbox or the project has no free storage */
  async save(mailbox: MailboxKey, saving: Saving): Promise<StoredDraft> {
    await this.#options.store.ensureFolders([mailbox]);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#save(mailbox, saving);
      } catch (error) {
        if (!(error instanceof Changed) || attempt === MAX_TRIES) throw error;
      }
    }
  }

  async #save(mailbox: MailboxKey, { client, objectId, content }: Saving): Promise<StoredDraft> {
    const { database } = this.#options;
    const found = await findBase(database, mailbox, client, objectId);
    if (found !== null && isLate(found, client, content)) return this.#untouched(mailbox, found);
    const uploads = await this.#uploadsOf(mailbox, content);
    if (
      found !== null &&
      found.client === client &&
      isDeepStrictEqual(found.content, content) &&
      (await this.#isInDrafts(database, mailbox, found.objectId))
    )
      return kept(found, uploads, content, null);
    const id = found === null ? newUuid() : found.id;
    const message = await this.#messageOf(mailbox, id, content, uploads);
    const written = await this.#inTransaction(async (tx) => {
      if (!(await lockForWriting(tx, mailbox))) throw new AppError('not-found', 'The mailbox is deleted.');
      const base = await findBase(tx, mailbox, client, objectId);
      if ((base?.id ?? null) !== (found?.id ?? null)) throw new Changed();
      if (base !== null && isLate(base, client, content)) throw new Changed();
      const replaced = base?.objectId ?? objectId;
      const stored = await this.#put(tx, mailbox, replaced, message);
      const savedAt = await writeDraft(tx, { ...mailbox, id, client, objectId: stored.objectId, content });
      return { ...stored, savedAt, isNew: replaced === null };
    });
    written.committed();
    const row = await findDraft(database, mailbox, { id });
    if (row === null) throw new AppError('not-found', 'The draft was just deleted.');
    return kept(row, uploads, content, written.isThere || written.isNew ? null : CHANGED, written.objectId);
  }

  /**
   * Puts a draft that was queued for sending back into Drafts, even if the quota is exceeded.
   * @returns the object id of the draft's message, and a function to call after the commit
   */
  async putBack(
    tx: DatabaseTransaction,
    mailbox: MailboxKey,
    row: DraftRow,
    message: NewMessage,
  ): Promise<{ objectId: string; committed(): void }> {
    const { objectId, committed } = await this.#put(tx, mailbox, null, { ...message, mayExceedQuota: true });
    await writeDraft(tx, { ...mailbox, id: row.id, client: row.client, objectId, content: row.content });
    return { objectId, committed };
  }

  /** Composes the message of a draft for Drafts. */
  async messageOf(mailbox: MailboxKey, { id, content }: DraftRow): Promise<NewMessage> {
    return this.#messageOf(mailbox, id, content, await this.#uploadsOf(mailbox, content));
  }

  /** Opens a draft by its message. Creates a row for a draft of a mail app. @throws AppError not-found */
  async open(mailbox: MailboxKey, objectId: string): Promise<StoredDraft> {
    const { database, foreign } = this.#options;
    if (!(await this.#isInDrafts(database, mailbox, objectId))) throw noDraft();
    const known = await findDraft(database, mailbox, { objectId });
    if (known !== null && !isQueuedOrSent(known)) return this.#untouched(mailbox, known);
    const content = await foreign.read(mailbox, objectId);
    const uploads = await this.#uploadsOf(mailbox, content);
    await database.transaction().execute(async (tx) => {
      await lockForWriting(tx, mailbox);
      const beside = await findDraft(tx, mailbox, { objectId });
      if (beside !== null && !isQueuedOrSent(beside)) return;
      const id = newUuid();
      await writeDraft(tx, { ...mailbox, id, client: id, objectId, content });
    });
    const row = await findDraft(database, mailbox, { objectId });
    if (row === null || isQueuedOrSent(row)) throw noDraft();
    return kept(row, uploads, row.content, null);
  }

  /** Deletes a draft permanently. @throws AppError not-found */
  async remove(mailbox: MailboxKey, objectId: string): Promise<void> {
    const { committed } = await this.#inTransaction(async (tx) => {
      await lockForWriting(tx, mailbox);
      const row = await findDraft(tx, mailbox, { objectId });
      const taken = await this.takeOut(tx, mailbox, objectId);
      if (taken === null) throw noDraft();
      if (row !== null && !isQueuedOrSent(row)) await deleteDraft(tx, mailbox, row.id);
      return taken;
    });
    committed();
  }

  /** Removes the message of a draft from Drafts. @returns a function to call after the commit; null if the message is not in Drafts */
  async takeOut(
    tx: DatabaseTransaction,
    mailbox: MailboxKey,
    objectId: string,
  ): Promise<{ committed(): void } | null> {
    const { result, committed } = await this.#options.store.replaceIn(tx, draftsOf(mailbox), objectId, null);
    return result.outcome === 'removed' ? { committed } : null;
  }

  async #untouched(mailbox: MailboxKey, row: DraftRow): Promise<StoredDraft> {
    return kept(row, await this.#uploadsOf(mailbox, row.content), row.content, null);
  }

  async #uploadsOf(mailbox: MailboxKey, { attachments }: DraftContent): Promise<UploadRow[]> {
    return (await this.#options.uploads.find(mailbox, attachments)).filter((row) => row !== null);
  }

  /**
   * Replaces a message in Drafts. If the message to replace no longer exists, adds the new message, so that nothing a user wrote is lost.
   */
  async #put(tx: DatabaseTransaction, mailbox: MailboxKey, replaced: string | null, message: NewMessage) {
    const { store } = this.#options;
    if (replaced !== null) {
      const { result, committed } = await store.replaceIn(tx, draftsOf(mailbox), replaced, message);
      if (result.outcome === 'stored') return { objectId: result.objectId, committed, isThere: true };
      if (result.outcome !== 'no-message') throw refusalOf(result.outcome);
    }
    const { results, committed } = await store.appendIn(tx, [message]);
    const [result] = results;
    if (result?.outcome !== 'stored') throw refusalOf(result?.outcome ?? 'no-folder');
    return { objectId: result.objectId, committed, isThere: false };
  }

  async #inTransaction<T>(work: (tx: DatabaseTransaction) => Promise<T>): Promise<T> {
    try {
      return await retryingConflicts(() => this.#options.database.transaction().execute(work));
    } catch (error) {
      if (error instanceof NotReplaced) throw refusalOf(error.result.outcome);
      throw error;
    }
  }

  async #isInDrafts(database: Database, mailbox: MailboxKey, objectId: string | null): Promise<boolean> {
    return objectId !== null && (await findStored(database, mailbox, objectId, 'drafts')) !== null;
  }

  async #messageOf(
    mailbox: MailboxKey,
    draftId: string,
    content: DraftContent,
    uploads: readonly UploadRow[],
  ): Promise<NewMessage> {
    const { database, blobs, facts } = this.#options;
    const composed = composeDraft(content, {
      draftId,
      from: await shownSender(database, mailbox, content.from),
      signatureHtml: null,
      uploads,
      piecesOf:
        ({ id }) =>
        () =>
          this.#options.uploads.read(mailbox, id),
      savedAt: clock.now(),
    });
    const bytes = await bytesOf(composed);
    return {
      ...mailbox,
      folder: { role: 'drafts' },
      blob: await blobs.prepare(mailbox.projectId, bytes),
      facts: await facts.read(bytes),
      flags: FLAG.draft | FLAG.seen,
      keywords: [],
      internalDate: null,
      authentication: null,
      spam: null,
    };
  }
}

/** The draft that a composer continues: its own draft, or the draft from which it was opened, unless that draft is queued for sending. */
async function findBase(
  database: Database | DatabaseTransaction,
  mailbox: MailboxKey,
  client: string,
  objectId: string | null,
): Promise<DraftRow | null> {
  const own = await findDraft(database, mailbox, { client });
  if (own !== null) return own;
  const opened = objectId === null ? null : await findDraft(database, mailbox, { objectId });
  return opened === null || isQueuedOrSent(opened) ? null : opened;
}

/**
 * Whether the composer has saved newer content in the meantime. A save whose connection broke, or whose page was reloaded, may still be
 * running when the next save finishes. The late save would overwrite newer text with older text.
 */
function isLate({ client, content: last }: DraftRow, by: string, { writtenAt }: DraftContent): boolean {
  return (
    client === by && writtenAt !== undefined && last.writtenAt !== undefined && last.writtenAt > writtenAt
  );
}

function kept(
  row: DraftRow,
  uploads: UploadRow[],
  content: DraftContent,
  conflict: string | null,
  objectId = row.objectId,
): StoredDraft {
  if (objectId === null) throw noDraft();
  const octets = composeDraft(content, {
    draftId: row.id,
    from: { displayName: null, address: '', localPart: '', domain: '', unicode: false },
    signatureHtml: null,
    uploads,
    piecesOf: () => () => nothing(),
    savedAt: null,
  }).octets;
  return { row, objectId, uploads, octets, conflict };
}

async function* nothing(): AsyncGenerator<Buffer> {}

export async function bytesOf(composed: ComposedDraft): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(composed.octets);
  let length = 0;
  for await (const piece of composed.write()) length += piece.copy(bytes, length);
  if (length !== bytes.length) throw new Error('the length of a file has changed since it was uploaded');
  return bytes;
}

/** The From field of a draft: the typed address if it is valid, otherwise the address of the mailbox. */
async function shownSender(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  from: string | null,
): Promise<MailboxAddress> {
  const row = await database
    .selectFrom('mailboxes')
    .select(['localPart', 'domain', 'displayName'])
    .where('projectId', '=', projectId)
    .where('id', '=', mailboxId)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not-found', 'The mailbox is deleted.');
  const typed = from === null ? { error: '' } : parseMailbox(from);
  return 'error' in typed
    ? namedMailbox(row.localPart, row.domain, row.displayName)
    : { ...typed, displayName: row.displayName };
}

function draftsOf({ projectId, mailboxId }: MailboxKey) {
  return { projectId, mailboxId, folder: { role: 'drafts' } } as const;
}

export function noDraft(): AppError {
  return new AppError('not-found', 'This draft no longer exists.');
}

function refusalOf(outcome: string): AppError {
  if (outcome === 'over-quota')
    return validationError({
      draft: 'The mailbox is full, so the draft was not saved. Delete some mail, then try again.',
    });
  if (outcome === 'over-storage')
    return validationError({
      draft:
        'The project has no storage left, so the draft was not saved. Delete some mail, or ask an admin of the project.',
    });
  return new AppError('not-found', 'The mailbox no longer has a Drafts folder.');
}
