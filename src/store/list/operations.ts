/** Operations on folders, conversations and changes of a mailbox. `run.ts` implements them. */
import { MailChanges, MailChangesQuery } from '../../contract/mail/changes.ts';
import {
  ConversationPage,
  ConversationQuery,
  MailConversation,
  MailConversationQuery,
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
};
