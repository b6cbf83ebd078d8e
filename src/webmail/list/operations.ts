/** Operations on folders, conversations and changes of a mailbox. `run.ts` implements them. */
import { MailChanges, MailChangesQuery } from '../../contract/mail/changes.ts';
import {
  ConversationPage,
  ConversationQuery,
  MailConversation,
  MailConversationQuery,
  MailSearchCount,
  MailSearchCountQuery,
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
    summary: 'List folders with their counts, and the quota',
    success: { status: 200, description: 'The folders.', body: MailFolderList },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/folders', member: 'read' },
    },
  }),
  createMailFolder: declare({
    summary: 'Create a folder',
    body: CreateMailFolder,
    success: { status: 201, description: 'The folder.', body: MailFolder },
    errors: ['already-exists'],
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/folders', member: 'write' },
    },
  }),
  renameMailFolder: declare({
    summary: 'Rename a folder and its subfolders',
    body: RenameMailFolder,
    success: { status: 200, description: 'The folder.', body: MailFolder },
    errors: ['already-exists'],
    doors: {
      mail: {
        route: 'PATCH /mailboxes/{mailbox}/folders/{id}',
        member: 'write',
        resource: { name: 'folder', prefix: 'fld' },
      },
    },
  }),
  deleteMailFolder: declare({
    summary: 'Delete a folder and its mail permanently',
    description: 'Subfolders are not deleted.',
    success: { status: 204, description: 'Deleted.' },
    doors: {
      mail: {
        route: 'DELETE /mailboxes/{mailbox}/folders/{id}',
        member: 'write',
        resource: { name: 'folder', prefix: 'fld' },
      },
    },
  }),
  listConversations: declare({
    summary: 'List conversations of a folder, newest first unless sorted, by page or from any row',
    query: ConversationQuery,
    success: { status: 200, description: 'A page.', body: ConversationPage },
    errors: ['not-found'],
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/conversations', member: 'read' },
    },
  }),
  getConversation: declare({
    summary: 'Get a conversation with summaries of its messages in all folders',
    query: MailConversationQuery,
    success: { status: 200, description: 'The conversation.', body: MailConversation },
    doors: {
      mail: {
        route: 'GET /mailboxes/{mailbox}/conversations/{id}',
        member: 'read',
        resource: { name: 'conversation', prefix: 'thr' },
      },
    },
  }),
  getMailChanges: declare({
    summary: 'List changes since a list was read',
    query: MailChangesQuery,
    success: { status: 200, description: 'The changes.', body: MailChanges },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/changes', member: 'read' },
    },
  }),
  watchMail: declare({
    summary: 'Stream notifications of changes, as long as the session lasts',
    description:
      'For EventSource. `event: change` has a MailChangeEvent as its data, and the state after it as its id. It only says that something has changed: request the changes.',
    success: { status: 200, description: 'Events.', media: 'text/event-stream' },
    errors: ['rate-limited'],
    raw: true,
    doors: { mail: { route: 'GET /mailboxes/{mailbox}/events', member: 'read' } },
  }),
  searchMail: declare({
    summary: 'Search all mail, as the user types',
    description:
      'A search ends when the client closes the request. A search that takes too long returns the newest matches found so far, and says so.',
    query: MailSearchQuery,
    success: { status: 200, description: 'A page.', body: MailSearchPage },
    doors: { mail: { route: 'GET /mailboxes/{mailbox}/search', member: 'read' } },
  }),
  countMatches: declare({
    summary: 'Count the conversations that a search finds',
    query: MailSearchCountQuery,
    success: { status: 200, description: 'The count, at most 1,000.', body: MailSearchCount },
    doors: { mail: { route: 'GET /mailboxes/{mailbox}/search/count', member: 'read' } },
  }),
};
