/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import { AppError } from '../../model/app-error.ts';
import type { Store } from '../../store/store.ts';
import { deleteMailFolder, makeMailFolder, renameMailFolder } from './change-folders.ts';
import type { MailList } from './mail-list.ts';
import type { MAIL_LIST_OPERATIONS } from './operations.ts';
import type { MailSearch } from './search/mail-search.ts';

/** The parts of the core that the operations need. */
export interface MailListParts {
  lists: Pick<MailList, 'folders' | 'conversations' | 'conversation' | 'changes'>;
  search: Pick<MailSearch, 'search' | 'count'>;
  store: Store;
}

export const run: Run<typeof MAIL_LIST_OPERATIONS, MailListParts> = {
  listMailFolders: ({ lists }, { mailbox }) => lists.folders(mailbox),
  createMailFolder: ({ store }, { mailbox, body }) => makeMailFolder(store, mailbox, body.path),
  renameMailFolder: ({ store }, { mailbox, id, body }) => renameMailFolder(store, mailbox, id, body.path),
  deleteMailFolder: ({ store }, { mailbox, id }) => deleteMailFolder(store, mailbox, id),
  listConversations: async ({ lists }, { mailbox, query }) => {
    const page = await lists.conversations(mailbox, query);
    if (page === null) throw new AppError('not-found', 'There is no such folder.');
    return page;
  },
  getConversation: ({ lists }, { mailbox, id, query }) =>
    lists.conversation(mailbox, id, query.cursor ?? null),
  searchMail: ({ search }, { mailbox, query, signal: gone }) => search.search(mailbox, query, gone),
  countMatches: ({ search }, { mailbox, query, signal: gone }) => search.count(mailbox, query.q, gone),
  getMailChanges: ({ lists }, { mailbox, query }) => lists.changes(mailbox, query.since),
};
