/** Every operation of the web client, in the order of its document. */
import { namedMailOperations } from './operation.ts';
import { getMailChanges } from './changes/get-mail-changes.ts';
import { getConversation } from './conversations/get-conversation.ts';
import { listConversations } from './conversations/list-conversations.ts';
import { createMailFolder } from './folders/create-mail-folder.ts';
import { deleteMailFolder } from './folders/delete-mail-folder.ts';
import { listMailFolders } from './folders/list-mail-folders.ts';
import { renameMailFolder } from './folders/rename-mail-folder.ts';
import { getMailSession } from './session/get-mail-session.ts';
import { signInToMailbox } from './session/sign-in-to-mailbox.ts';
import { signOutOfMailbox } from './session/sign-out-of-mailbox.ts';

export const MAIL_OPERATIONS = namedMailOperations({
  getMailSession,
  signInToMailbox,
  signOutOfMailbox,
  listMailFolders,
  createMailFolder,
  renameMailFolder,
  deleteMailFolder,
  listConversations,
  getConversation,
  getMailChanges,
});
