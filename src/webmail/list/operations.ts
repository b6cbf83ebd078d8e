/** Operations on folders, conversations and changes of a mailbox. `run.ts` implements them. */
import { MailChanges, MailChangesQuery } from '../../contract/mail/changes.ts';
import {
  ConversationPage,
  ConversationQuery,
  MailConversation,
  MailConversationQuery,
  MailSearchPage,
  MailSearchQuery,
} from '../../contract/mail/conversations.ts';
import {
  CreateMailFolder,
  MailFolder,
  MailFolderList,
  RenameMailFolder,
} from '../../contract/mail/folders.ts';
import { declare } from '../../contract/operation.ts';

export const MAIL_LIST_OPERATIONS = {
  listMailFolders: declare({
    summary: 'All folders with what they hold, and the quota',
    success: { status: 200, description: 'The folders.', body: MailFolderList },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/folders' },
    },
  }),
  createMailFolder: declare({
    summary: 'Make a folder',
    body: CreateMailFolder,
    success: { status: 201, description: 'The folder.', body: MailFolder },
    errors: ['already-exists'],
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/folders' },
    },
  }),
  renameMailFolder: declare({
    summary: 'Rename a folder, and those within it',
    body: RenameMailFolder,
    success: { status: 200, description: 'The folder.', body: MailFolder },
    errors: ['already-exists'],
    doors: {
      mail: { route: 'PATCH /mailboxes/{mailbox}/folders/{id}', resource: { name: 'folder', prefix: 'fld' } },
    },
  }),
  deleteMailFolder: declare({
    summary: 'Delete a folder with all mail in it, for ever',
    description: 'Folders within it stay.',
    success: { status: 204, description: 'It is gone.' },
    doors: {
      mail: {
        route: 'DELETE /mailboxes/{mailbox}/folders/{id}',
        resource: { name: 'folder', prefix: 'fld' },
      },
    },
  }),
  listConversations: declare({
    summary: 'Conversations of a folder, the newest first, page by page or from any row on',
    query: ConversationQuery,
    success: { status: 200, description: 'A page.', body: ConversationPage },
    errors: ['not-found'],
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/conversations' },
    },
  }),
  getConversation: declare({
    summary: 'A conversation with what is said of each of its messages, in all folders',
    query: MailConversationQuery,
    success: { status: 200, description: 'The conversation.', body: MailConversation },
    doors: {
      mail: {
        route: 'GET /mailboxes/{mailbox}/conversations/{id}',
        resource: { name: 'conversation', prefix: 'thr' },
      },
    },
  }),
  getMailChanges: declare({
    summary: 'What has happened since a list was read',
    query: MailChangesQuery,
    success: { status: 200, description: 'The changes.', body: MailChanges },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/changes' },
    },
  }),
  watchMail: declare({
    summary: 'Hear at once that something has happened, for as long as the session lives',
    description:
      'For EventSource. `event: change` has a MailChangeEvent as its data, and as its id the state after it. It says no more than that something happened: ask for the changes.',
    success: { status: 200, description: 'Events.', media: 'text/event-stream' },
    errors: ['rate-limited'],
    raw: true,
    doors: { mail: { route: 'GET /mailboxes/{mailbox}/events' } },
  }),
  searchMail: declare({
    summary: 'Search everything, while somebody types',
    description:
      'A search ends when whoever asks for it breaks the request off. What takes too long has the newest part of what there is, and says so.',
    query: MailSearchQuery,
    success: { status: 200, description: 'A page.', body: MailSearchPage },
    doors: { mail: { route: 'GET /mailboxes/{mailbox}/search' } },
  }),
};
