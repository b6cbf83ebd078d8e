/** Read operations of the web client API: a mailbox's folders, conversations and changes. */
import type { MailChanges } from '../../contract/mail/changes.ts';
import type {
  ConversationPage,
  ConversationQuery,
  MailConversation,
} from '../../contract/mail/conversations.ts';
import type { MailFolderList } from '../../contract/mail/folders.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import { validationError } from '../../model/app-error.ts';
import { decodeId } from '../../model/ids.ts';
import { listFolders } from '../../store/folders.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { Store } from '../../store/store.ts';
import { type Arrangement, readArrangedPage } from './arranged-page.ts';
import { type PageRequest, readListPage } from './conversation-page.ts';
import { folderRows } from './conversation-rows.ts';
import { decodeListCursor, encodeListCursor } from './cursors.ts';
import { readFolderList } from './folder-list.ts';
import { readMailChanges } from './mail-changes.ts';
import { encodeState } from './mail-state.ts';
import { readConversation } from './read-conversation.ts';

/** Milliseconds that a request waits, after an upgrade, until older mail has been added to the conversation lists. */
const LISTING_MS = 1_000;

export class MailList {
  readonly #store: Store;
  readonly #reads: FairReads;

  constructor({ store, reads }: { store: Store; reads: FairReads }) {
    this.#store = store;
    this.#reads = reads;
  }

  /** @returns null if there is no such mailbox */
  async folders(mailbox: MailboxKey): Promise<MailFolderList | null> {
    await this.#store.ensureFolders([mailbox]);
    return this.#reads.run(mailbox.projectId, (database) => readFolderList(database, mailbox));
  }

  /** @returns null if there is no such folder @throws AppError validation-failed for an invalid cursor */
  async conversations(mailbox: MailboxKey, query: ConversationQuery): Promise<ConversationPage | null> {
    const { limit, cursor, at, filter, sort = 'newest' } = query;
    const folderId = decodeId('fld', query.folder);
    if (cursor !== undefined && at !== undefined)
      throw validationError({ at: 'cannot be combined with cursor' });
    const isArranged = filter !== undefined || sort !== 'newest';
    if (cursor !== undefined && isArranged)
      throw validationError({ cursor: 'cannot be combined with filter or sort; use at' });
    const request: PageRequest = cursor === undefined ? { at: at ?? 0 } : decodeListCursor(cursor);
    await this.#store.ensureFolders([mailbox]);
    const read = () =>
      isArranged
        ? this.#readArranged(mailbox, folderId, { filter, sort }, { at: at ?? 0, limit })
        : this.#readPage(mailbox, folderId, request, limit);
    const page = await read();
    if (folderId === null || page === null || page.is_complete) return page;
    await this.#store.listOlder({ ...mailbox, folderId }, LISTING_MS);
    return read();
  }

  #readPage(
    mailbox: MailboxKey,
    folderId: string | null,
    request: PageRequest,
    limit: number,
  ): Promise<ConversationPage | null> {
    return this.#reads.run(mailbox.projectId, async (database) => {
      // Folders are read before the rows, so that the client's next request for changes includes everything that changes in between.
      const folders = await listFolders(database, mailbox);
      const folder = folders.find(({ id }) => id === folderId);
      if (folder === undefined) return null;
      const key = { ...mailbox, folderId: folder.id };
      const { rows, firstRow } = await readListPage(database, key, request, limit, folder.conversations);
      const [first, last] = [rows.at(0), rows.at(-1)];
      const lastRow = firstRow + rows.length - 1;
      return {
        data: await folderRows(database, key, rows),
        next:
          last === undefined || lastRow + 1 >= folder.conversations
            ? null
            : encodeListCursor({ olderThan: { ...last, row: lastRow } }),
        previous:
          first === undefined || firstRow === 0
            ? null
            : encodeListCursor({ newerThan: { ...first, row: firstRow } }),
        total: folder.conversations,
        first_row: firstRow,
        is_complete: folder.unlistedBelow <= 1,
        state: encodeState(folders),
      };
    });
  }

  #readArranged(
    mailbox: MailboxKey,
    folderId: string | null,
    arrangement: Arrangement,
    { at, limit }: { at: number; limit: number },
  ): Promise<ConversationPage | null> {
    return this.#reads.run(mailbox.projectId, async (database) => {
      const folders = await listFolders(database, mailbox);
      const folder = folders.find(({ id }) => id === folderId);
      if (folder === undefined) return null;
      const key = { ...mailbox, folderId: folder.id };
      const { rows, total } = await readArrangedPage(
        database,
        key,
        arrangement,
        { at, limit },
        folder.conversations,
      );
      return {
        data: await folderRows(database, key, rows),
        next: null,
        previous: null,
        total,
        first_row: at,
        is_complete: folder.unlistedBelow <= 1,
        state: encodeState(folders),
      };
    });
  }

  /** @param cursor null for the last page @returns null if the mailbox has no message in this conversation */
  conversation(
    mailbox: MailboxKey,
    threadId: string,
    cursor: string | null,
  ): Promise<MailConversation | null> {
    return this.#reads.run(mailbox.projectId, (database) =>
      readConversation(database, mailbox, threadId, cursor),
    );
  }

  /** The current state. Pass this state to `changes` to get all later changes. */
  async state(mailbox: MailboxKey): Promise<string> {
    return this.#reads.run(mailbox.projectId, async (database) =>
      encodeState(await listFolders(database, mailbox)),
    );
  }

  async changes(mailbox: MailboxKey, since: string): Promise<MailChanges> {
    await this.#store.ensureFolders([mailbox]);
    return this.#reads.run(mailbox.projectId, (database) => readMailChanges(database, mailbox, since));
  }
}
