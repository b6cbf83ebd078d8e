/** Made by `npm run -s generate -w web` from the OpenAPI document of the web client. Do not edit. */

export interface ConversationPage {
  /** The newest first. */
  data: ConversationRow[];
  /** For older ones. Null: there are none. */
  next: string | null;
  /** For newer ones. Null: there are none. */
  previous: string | null;
  total: number;
  /**
   * At which place of the list the page begins. Behind a cursor it is not looked for again, and follows
   * from it.
   */
  first_row: number;
  /** False for some minutes after an upgrade: the list of this folder is still being made. */
  is_complete: boolean;
  /** What the answer knows of the mailbox: for GET changes?since=. */
  state: string;
}

export interface ConversationRow {
  id: string;
  /** All of this row is about the messages in this folder. Null: in all folders that were searched. */
  folder: string | null;
  /** Of the newest message; may be empty. */
  subject: string;
  /** How the text of the newest message begins. */
  preview: string;
  /** When the newest message was received. */
  newest_at: string;
  messages: number;
  unread: number;
  /** How many of its messages have a star. */
  starred: number;
  /** Whether its newest message was answered. */
  answered: boolean;
  has_file: boolean;
  has_draft: boolean;
  /**
   * Who wrote it, each once, who wrote last at the end; 10 at most, with those whose messages are unread
   * first among whom to keep.
   */
  from: {
    /** As the message says. Null: it says none. */
    name: string | null;
    address: string;
    /** Whether a message from them is unread. */
    unread: boolean;
  }[];
  /** Whom the newest message was for, for Sent and Drafts. */
  to: MailPerson[];
  /** The newest first, 100 at most. */
  message_ids: string[];
}

export interface CreateMailFolder {
  /** The whole path. Folders that it is in are made where they are missing. */
  path: string;
}

/** A mailbox that this browser is signed in to. */
export interface MailAccount {
  mailbox: string;
  address: string;
  display_name: string | null;
  session_id: string;
  /**
   * Goes into X-CSRF-Token of every request about this mailbox that is no GET. It is the same for all of
   * the session.
   */
  csrf_token: string;
  /** Until then passwords and the like can be changed without being asked again who is there. */
  confirmed_until: string;
}

export interface MailAccounts {
  /** The one signed in to first is the first. None: nobody is. */
  accounts: MailAccount[];
}

export interface MailChanges {
  /** What the answer knows of the mailbox: for GET changes?since=. */
  state: string;
  /** All of them, in the order of GET folders. */
  folders: MailFolder[];
  conversations: {
    /** New ones and those with other messages or marks, each with its folder, as they are now. */
    changed: ConversationRow[];
    gone: { folder: string; id: string }[];
  };
  /**
   * True: too much happened, or too long ago. Both lists are empty, and whoever shows a list reads it
   * anew.
   */
  too_many: boolean;
}

export interface MailConversation {
  id: string;
  /** Of its first message, without Re: and the like. */
  subject: string;
  /** How many messages it has, in all folders. */
  total: number;
  /** The oldest first, 200 at most: those at the end of the conversation. */
  messages: MailMessageSummary[];
  /** The cursor for those before. Null: there are none. */
  previous: string | null;
}

export interface MailFolder {
  id: string;
  /** The last part of the path. */
  name: string;
  /** With the folders that it is in, and / between them. */
  path: string;
  /** What a folder is for that every mailbox has. Null: one of its own. */
  role: 'inbox' | 'sent' | 'drafts' | 'junk' | 'trash' | 'archive' | null;
  messages: number;
  unread: number;
  conversations: number;
}

export interface MailFolderList {
  /** What the answer knows of the mailbox: for GET changes?since=. */
  state: string;
  /** Those that every mailbox has first: inbox, drafts, sent, archive, junk, trash; then by path. */
  data: MailFolder[];
  quota: {
    /** Of all messages, in all folders. */
    octets: number;
    limit_octets: number;
  };
}

export interface MailMessageSummary {
  id: string;
  /** Its Message-ID, with its angle brackets. */
  message_id: string | null;
  /** All that it is in. */
  folders: string[];
  from: MailPerson[];
  to: MailPerson[];
  cc: MailPerson[];
  bcc: MailPerson[];
  reply_to: MailPerson[];
  subject: string;
  /** As the message says. */
  date: string | null;
  received_at: string;
  preview: string;
  seen: boolean;
  starred: boolean;
  answered: boolean;
  forwarded: boolean;
  draft: boolean;
  octets: number;
  /** How many attachments it has; the message itself names them. */
  files: number;
}

export interface MailPerson {
  /** As the message says. Null: it says none. */
  name: string | null;
  address: string;
}

export interface MailSignIn {
  address: string;
  password: string;
}

/** The session that has begun. */
export interface MailSignInAnswer {
  /** A mailbox that this browser is signed in to. */
  account?:
    | {
        mailbox: string;
        address: string;
        display_name: string | null;
        session_id: string;
        /**
         * Goes into X-CSRF-Token of every request about this mailbox that is no GET. It is the same for all of
         * the session.
         */
        csrf_token: string;
        /** Until then passwords and the like can be changed without being asked again who is there. */
        confirmed_until: string;
      }
    | undefined;
}

export interface RenameMailFolder {
  /** The whole path. Folders that it is in are made where they are missing. */
  path: string;
}

export interface paths {
  '/session': {
    /** Tell which mailboxes this browser is signed in to */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MailAccounts } } };
    };
    /** Sign in to a mailbox */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': MailSignIn } };
      responses: { 200: { content: { 'application/json': MailSignInAnswer } } };
    };
  };
  '/mailboxes/{mailbox}/session': {
    /** Sign out of a mailbox */
    delete: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/mailboxes/{mailbox}/folders': {
    /** All folders with what they hold, and the quota */
    get: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MailFolderList } } };
    };
    /** Make a folder */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': CreateMailFolder } };
      responses: { 201: { content: { 'application/json': MailFolder } } };
    };
  };
  '/mailboxes/{mailbox}/folders/{id}': {
    /** Rename a folder, and those within it */
    patch: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': RenameMailFolder } };
      responses: { 200: { content: { 'application/json': MailFolder } } };
    };
    /** Delete a folder with all mail in it, for ever */
    delete: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/mailboxes/{mailbox}/conversations': {
    /** Conversations of a folder, the newest first, page by page or from any row on */
    get: {
      parameters: {
        query: {
          folder: string;
          limit?: number | undefined;
          cursor?: string | undefined;
          at?: number | undefined;
        };
        path: { mailbox: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': ConversationPage } } };
    };
  };
  '/mailboxes/{mailbox}/conversations/{id}': {
    /** A conversation with what is said of each of its messages, in all folders */
    get: {
      parameters: {
        query?: { cursor?: string | undefined };
        path: { mailbox: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MailConversation } } };
    };
  };
  '/mailboxes/{mailbox}/changes': {
    /** What has happened since a list was read */
    get: {
      parameters: { query: { since: string }; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MailChanges } } };
    };
  };
}
