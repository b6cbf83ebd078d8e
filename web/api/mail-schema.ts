/** Made by `npm run -s generate -w web` from the OpenAPI document of the web client. Do not edit. */

export interface AddMailboxRule {
  name: string;
  /** Whether all conditions have to be met, or one of them. */
  match: 'all' | 'any';
  conditions: string[];
  actions: string[];
  /** From 1 on. */
  position?: number | undefined;
}

export interface AddPasskey {
  /** From the step before. It works once, within ten minutes. */
  ticket: string;
  /** On one line. */
  name: string;
  response: {
    /** Base64url. */
    id: string;
    /** Base64url. */
    rawId: string;
    type: 'public-key';
    authenticatorAttachment?: 'platform' | 'cross-platform' | undefined;
    clientExtensionResults: Record<string, unknown>;
    response: {
      /** Base64url. */
      clientDataJSON: string;
      /** Base64url. */
      attestationObject: string;
      /** Base64url. */
      authenticatorData?: string | undefined;
      transports?: string[] | undefined;
      publicKeyAlgorithm?: number | undefined;
      /** Base64url. */
      publicKey?: string | undefined;
    };
  };
}

export interface AddedPasskey {
  passkey: {
    id: string;
    name: string;
    created_at: string;
    last_used_at: string | null;
  };
  /** Shown once. null: the user had a second factor already, and keeps the codes. */
  recovery_codes: string[] | null;
}

export interface AnswerInvitation {
  answer: 'accepted' | 'tentative' | 'declined';
}

export interface AppPassword {
  id: string;
  name: string;
  /** read: change nothing, and not send. */
  access: 'read' | 'everything';
  created_at: string;
  /** Within an hour. */
  last_used_at: string | null;
}

export interface AppPasswordList {
  /** Oldest first. */
  data: AppPassword[];
}

export interface AskPasskey {
  /** Of the step before, when it is the second one. */
  ticket?: string | undefined;
}

export interface BlockSender {
  sender: string;
}

export interface BlockedSender {
  /** An address, or a domain with all below it. */
  sender: string;
  created_at: string;
}

export interface BlockedSenderList {
  /** In the order of the alphabet. */
  data: BlockedSender[];
}

export interface CalendarTime {
  /** By the clock of whoever wrote it: 2026-03-05T10:00:00, or 2026-03-05 for whole days. */
  local: string;
  is_all_day: boolean;
  /** Of local. Null: that of whoever reads it. */
  zone: string | null;
  /** Null for whole days, and where nobody can say. */
  at: string | null;
}

export interface ChangeFileLink {
  /** At most 90 days after the link was made. By default after 14. */
  expires_at?: string | undefined;
  /** Null: none. */
  password?: string | null | undefined;
  /** Null: as many as people like. */
  max_downloads?: number | null | undefined;
}

export interface ChangeMailPassword {
  current_password: string;
  /** At least 12 characters. */
  password: string;
}

/** Fields that are left out stay as they are. */
export interface ChangeMailSettings {
  /** On one line. Empty: none. */
  display_name?: string | undefined;
  /** At most 64 KB. Empty: none. */
  signature_html?: string | undefined;
  /** Pictures from elsewhere in mail of senders that are not trusted. Always through the proxy. */
  remote_content?: 'ask' | 'always' | undefined;
  /** The order of a conversation. */
  newest_first?: boolean | undefined;
  /** What a row of a list does that is pushed to the left. */
  swipe_left?: 'archive' | 'trash' | 'junk' | 'seen' | 'star' | 'none' | undefined;
  swipe_right?: 'archive' | 'trash' | 'junk' | 'seen' | 'star' | 'none' | undefined;
}

export interface ChangeMailboxRule {
  enabled?: boolean | undefined;
  /** From 1 on. */
  position?: number | undefined;
}

export interface ConfirmSession {
  password?: string | undefined;
  code?: string | undefined;
  passkey?:
    | {
        /** From the step before. It works once, within ten minutes. */
        ticket: string;
        response: {
          /** Base64url. */
          id: string;
          /** Base64url. */
          rawId: string;
          type: 'public-key';
          authenticatorAttachment?: 'platform' | 'cross-platform' | undefined;
          clientExtensionResults: Record<string, unknown>;
          response: {
            /** Base64url. */
            clientDataJSON: string;
            /** Base64url. */
            authenticatorData: string;
            /** Base64url. */
            signature: string;
            /** Base64url. */
            userHandle?: string | undefined;
          };
        };
      }
    | undefined;
}

export interface ConfirmTotp {
  /** From the step before. It works once, within ten minutes. */
  ticket: string;
  code: string;
}

/** Until then nobody is asked again. */
export interface Confirmation {
  confirmed_until: string;
}

export interface ConfirmedTotp {
  /** Shown once. null: the user had a second factor already, and keeps the codes. */
  recovery_codes: string[] | null;
}

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

export interface CreateAppPassword {
  name: string;
  /** read: change nothing, and not send. */
  access: 'read' | 'everything';
}

export interface CreateFileLink {
  files: string[];
  /**
   * The composer (client of a draft) that it is made for: without a draft that has it, it ends within a
   * day. Null: it stands for itself.
   */
  draft?: string | null | undefined;
  /** At most 90 days after the link was made. By default after 14. */
  expires_at?: string | undefined;
  /** Null: none. */
  password?: string | null | undefined;
  /** Null: as many as people like. */
  max_downloads?: number | null | undefined;
}

export interface CreateMailFolder {
  /** The whole path. Folders that it is in are made where they are missing. */
  path: string;
}

export interface CreatedAppPassword {
  id: string;
  name: string;
  /** read: change nothing, and not send. */
  access: 'read' | 'everything';
  /** Shown here and never again. */
  password: string;
}

export interface Draft {
  id: string;
  /** An address of the mailbox or one of its aliases. Null: the address of the mailbox. */
  from: string | null;
  /** Who it is for. */
  to: {
    name?: string | null | undefined;
    /** As it was typed: an unfinished one is kept, and refused when the draft is sent. */
    address: string;
  }[];
  /** Who gets a copy. */
  cc: {
    name?: string | null | undefined;
    /** As it was typed: an unfinished one is kept, and refused when the draft is sent. */
    address: string;
  }[];
  /** Who gets a copy that the others do not know of. */
  bcc: {
    name?: string | null | undefined;
    /** As it was typed: an unfinished one is kept, and refused when the draft is sent. */
    address: string;
  }[];
  subject: string;
  /** What is written, as the editor has it. Null: it is plain text. */
  html: string | null;
  /** What is written, where html is null; else it is made of html. */
  text: string;
  /**
   * What is answered or handed on, below the signature, so that no editor has to understand it. Null:
   * nothing, or it stands in html.
   */
  quoted_html: string | null;
  /** Whether the signature of the mailbox is added, once, above quoted_html. */
  with_signature: boolean;
  /** What is answered or handed on. */
  in_reply_to: string | null;
  /** What becomes of in_reply_to when this is sent: it is marked so. */
  mode: 'reply' | 'forward' | null;
  attachments: DraftAttachment[];
  /** Of the message as it would go out. */
  octets: number;
  saved_at: string;
  /**
   * Why this is a draft of its own: the one that was saved over was changed, sent or deleted elsewhere.
   * Nothing is lost.
   */
  conflict: string | null;
  /** What its author may want to look at first. */
  warnings: DraftWarning[];
}

export interface DraftAttachment {
  upload: string;
  name: string;
  type: string;
  octets: number;
  url: string;
  /** It is an image that stands in html. */
  is_inline: boolean;
}

export interface DraftWarning {
  kind:
    | 'no-subject'
    | 'forgotten-attachment'
    | 'many-recipients'
    | 'mistyped-address'
    | 'bad-address'
    | 'too-large';
  /** A sentence for who writes. */
  text: string;
  /** Of a mistyped address: the one that was probably meant. */
  suggestion: string | null;
}

export interface FailingTarget {
  to: string;
  /** In a row. */
  failures: number;
  since: string;
  /** Since when nothing is forwarded to it. */
  off_since: string | null;
  /** What its server said last. */
  reply: string;
}

export interface FileLink {
  id: string;
  /** Whoever has it downloads the files. */
  url: string;
  files: LinkedFile[];
  /** Of all files. */
  octets: number;
  created_at: string;
  expires_at: string;
  state: 'open' | 'uploading' | 'expired' | 'revoked' | 'used-up';
  has_password: boolean;
  max_downloads: number | null;
  downloads: number;
  downloaded_octets: number;
  last_download_at: string | null;
  /** Of the message that it went out with. Null: none did. */
  subject: string | null;
  /** It was made for a draft that is not sent, and is revoked when that is deleted. */
  is_for_draft: boolean;
}

export interface FileLinkDetail {
  id: string;
  /** Whoever has it downloads the files. */
  url: string;
  files: LinkedFile[];
  /** Of all files. */
  octets: number;
  created_at: string;
  expires_at: string;
  state: 'open' | 'uploading' | 'expired' | 'revoked' | 'used-up';
  has_password: boolean;
  max_downloads: number | null;
  downloads: number;
  downloaded_octets: number;
  last_download_at: string | null;
  /** Of the message that it went out with. Null: none did. */
  subject: string | null;
  /** It was made for a draft that is not sent, and is revoked when that is deleted. */
  is_for_draft: boolean;
  /** The newest downloads, at most 100. */
  recent: LinkDownload[];
}

export interface FileLinkList {
  /** The newest first, with those that ended within 30 days. */
  data: FileLink[];
  /** The cursor of the next page. Null: this is the last one. */
  next: string | null;
  /** Of all links of the project that are live. */
  live_octets: number;
  /** What its plan allows at a time. */
  allowance_octets: number;
}

export interface Forwarding {
  forwarding: MailboxForwarding | null;
  /** Targets, of the mailbox or of a rule, that refused what they were sent last. */
  failing: FailingTarget[];
}

export interface Identities {
  /** The address of the mailbox first, then its aliases. */
  data: Identity[];
  /** Made safe to show. */
  signature_html: string | null;
  reply_to: string | null;
  limits: {
    /** Of one file, by the plan of the project. */
    file_bytes: number;
    /** Of a whole message as it goes out. */
    message_bytes: number;
    recipients: number;
    /** For how long what is sent may be taken back. */
    undo_seconds: number;
    /** How far ahead it may be scheduled. */
    schedule_days: number;
  };
}

export interface Identity {
  address: string;
  name: string | null;
}

export interface Invitation {
  /** What the message is for. An event asks for no answer. */
  kind: 'invitation' | 'update' | 'cancelled' | 'reply' | 'proposal' | 'event';
  /** May be empty. */
  summary: string;
  /** Plain text. */
  description: string | null;
  location: string | null;
  /** Where people meet who are elsewhere: an https URL. */
  conference: string | null;
  start: CalendarTime;
  /** Of whole days, the last one. */
  end: CalendarTime | null;
  /** In words. */
  repeats: string | null;
  /** Which one of a series is meant. Null: all of it. */
  recurrence: CalendarTime | null;
  organizer: {
    /** As the calendar says; nothing proves it. */
    name: string | null;
    /** Null: it is none that mail could be sent to. */
    address: string | null;
  } | null;
  /** The first 200. */
  attendees: {
    /** As the calendar says; nothing proves it. */
    name: string | null;
    /** Null: it is none that mail could be sent to. */
    address: string | null;
    answer: 'accepted' | 'tentative' | 'declined' | 'delegated' | 'none';
    is_optional: boolean;
    is_me: boolean;
  }[];
  attendees_total: number;
  /** Of who answers or cancels. Plain text. */
  comment: string | null;
  /** How many further events, or changed dates of a series, are in the file. */
  others: number;
  /** What to look at before answering, in words. */
  warnings: string[];
  /** Of the message: the file. */
  part: string;
  /** The address of this mailbox that is invited. */
  invited_as: string | null;
  can_answer: boolean;
  /** What this mailbox answered last, here. */
  answer: {
    answer: 'accepted' | 'tentative' | 'declined';
    answered_at: string;
    /** False: the event has changed since, and its organiser may want another answer. */
    is_current: boolean;
  } | null;
}

export interface KnownAddress {
  name: string | null;
  address: string;
  /** Whether the mailbox wrote to it before, or it stands in the directory of the project. */
  source: 'written' | 'directory';
}

export interface KnownAddresses {
  /** The likeliest first, at most ten. */
  data: KnownAddress[];
}

export interface LinkDownload {
  at: string;
  octets: number;
  what: 'file' | 'zip';
  /** Of the file. Null: all of them, as a ZIP. */
  name: string | null;
}

export interface LinkedFile {
  id: string;
  name: string;
  type: string;
  /** As it was announced. */
  octets: number;
  /** What is kept of it: an upload goes on from there. */
  received: number;
  is_whole: boolean;
  /** What the virus scanner said. Null: it has not looked, or there is none. */
  scan: 'clean' | 'infected' | 'unscanned' | null;
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
  /**
   * Since when this installation sends no mail, because it has no provider for it. Mail is accepted and
   * waits. Null: it sends, or no mailbox is signed in.
   */
  not_sending_since: string | null;
}

/** One of conversations, messages and all says what it is about. */
export interface MailActionRequest {
  /**
   * junk and not-junk also teach the filter. delete is for ever, and only of what is in Trash or Junk.
   * star marks the newest message of a conversation, unstar all of them.
   */
  action:
    | 'move'
    | 'archive'
    | 'junk'
    | 'not-junk'
    | 'trash'
    | 'delete'
    | 'seen'
    | 'unseen'
    | 'star'
    | 'unstar';
  conversations?: string[] | undefined;
  messages?: string[] | undefined;
  /** Either all of a folder, as it was at the first request, or all conversations that a search finds. */
  all?:
    | {
        folder?: string | undefined;
        q?: string | undefined;
        /** As the answer before had it. */
        continue?: string | undefined;
      }
    | undefined;
  /**
   * Only what is in this folder. Without it: what is in any, but for moves out of Sent, Drafts, Junk and
   * Trash.
   */
  from?: string | undefined;
  /** For move, and only for it. */
  to?: string | undefined;
  /** Of conversations and messages, as the answer before had it. */
  continue?: string | undefined;
}

export interface MailActionResult {
  /** Messages that are now as they were not before. */
  changed: number;
  /** For POST actions/undo, for ten minutes. Null: nothing changed, or it is for ever. */
  undo: string | null;
  /**
   * There is more to do, as of a long conversation; send the same request with it (of all: within it).
   * Null: all is done.
   */
  continue: string | null;
  /** Of all: how many messages are left, as far as is known; else 0. */
  remaining: number;
}

export interface MailAttachment {
  /** As IMAP counts parts: `1.2`. */
  part: string;
  /** Without anything that leads elsewhere or turns text round. */
  name: string;
  /** As the message says. */
  type: string;
  /** About: as it is encoded, less what that adds. */
  octets: number;
  /** The HTML shows it where it belongs. */
  is_inline: boolean;
  /**
   * image and text: GET parts/{part}/preview. pdf: a page draws it by itself from parts/{part}; no
   * browser is to open it here. Null: none.
   */
  preview: 'image' | 'pdf' | 'text' | null;
  /** Why not to open it. Null: nothing is known against it. */
  warning: string | null;
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

export interface MailMessage {
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
  conversation: string;
  /** What it says as text; of HTML alone, what that says. */
  text: MailTextBlock[];
  /** There is more of it in the source. */
  text_is_cut: boolean;
  /** GET html shows it. */
  has_html: boolean;
  /** A guess, in pixels, at a width of 700. */
  html_height: number | null;
  /**
   * The same without what it quotes at its end, as `quote=0` of the document leaves it out. Null: it
   * quotes nothing there.
   */
  html_folded_height: number | null;
  /** Why its HTML is not shown, for people. Null: it is, or it has none. */
  html_problem: string | null;
  remote: {
    /** Images of elsewhere, 500 at most. */
    count: number;
    /** The sender is trusted, and it is proved to be them. */
    allowed: boolean;
    /** It is proved who sent it: PUT trusted-senders would count for it. */
    may_trust: boolean;
  };
  attachments: MailAttachment[];
  authentication: {
    /** As this service found it. unknown: it did not come in by mail, so nobody looked. */
    verdict: 'pass' | 'fail' | 'none' | 'unknown';
    text: string;
    details: string[];
  };
  warnings: {
    kind: 'forged' | 'look-alike' | 'name' | 'reply-to' | 'member' | 'link' | 'file';
    text: string;
  }[];
  unsubscribe: {
    /** one-click: POST unsubscribe does it. mailto: write to address. link: open url. */
    kind: 'one-click' | 'mailto' | 'link';
    host: string;
    address: string | null;
    subject: string | null;
    url: string | null;
  } | null;
  /** A calendar comes with it: GET invitation. */
  invitation: {
    /** As IMAP counts parts: `1.2`. */
    part: string;
  } | null;
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

/** How the owner signs in. */
export interface MailOwnAccount {
  address: string;
  /** Other addresses whose mail comes here. */
  aliases: string[];
  /** Whether codes of an app are asked for. */
  authenticator_app: boolean;
  /** How many are left. */
  recovery_codes: number;
  passkeys: {
    id: string;
    name: string;
    created_at: string;
    last_used_at: string | null;
  }[];
  /** The origin that passkeys work at. */
  passkeys_at: string;
  /** By what the owner says again who sits there. */
  confirms_by: ('password' | 'code' | 'passkey')[];
}

export interface MailPerson {
  /** As the message says. Null: it says none. */
  name: string | null;
  address: string;
}

export interface MailSearchPage {
  /** Conversations of which a message was found, by the newest of those. */
  data: ConversationRow[];
  next: string | null;
  /** False: it took too long, and only the newest part of the mailbox was looked through. */
  is_complete: boolean;
  /** What of the query is not understood, for whoever typed it. The rest was looked for. */
  problem: string | null;
}

/** Where the mailbox is open, and who has opened it of late. */
export interface MailSessions {
  browsers: {
    id: string;
    /** The one that asks. */
    is_current: boolean;
    /** From where it was begun. */
    address: string;
    user_agent: string;
    created_at: string;
    last_used_at: string;
  }[];
  /** What is open, as it was some seconds ago; the newest first, 100 at most. */
  apps: {
    door: 'imap' | 'pop3' | 'submission' | 'web';
    /** The IP address. */
    address: string;
    /** Its name; empty: it is revoked. Null: the password of the mailbox. */
    app_password: string | null;
    connections: number;
    since: string;
  }[];
  /** The last one of each door and address, the newest first. */
  sign_ins: {
    door: 'imap' | 'pop3' | 'submission' | 'web';
    /** The IP address. */
    address: string;
    /** Its name; empty: it is revoked. Null: the password of the mailbox. */
    app_password: string | null;
    signed_in_at: string;
  }[];
}

export interface MailSettings {
  /** The name beside the address in what is sent. */
  display_name: string | null;
  /** Who gets the answers; whoever runs the project sets it. */
  reply_to: string | null;
  /** Below what is written in the web client. */
  signature_html: string | null;
  /** Pictures from elsewhere in mail of senders that are not trusted. Always through the proxy. */
  remote_content: 'ask' | 'always';
  /** The order of a conversation. */
  newest_first: boolean;
  /** What a row of a list does that is pushed to the left. */
  swipe_left: 'archive' | 'trash' | 'junk' | 'seen' | 'star' | 'none';
  swipe_right: 'archive' | 'trash' | 'junk' | 'seen' | 'star' | 'none';
}

export interface MailSignIn {
  address: string;
  password: string;
}

/** The session that has begun; or, for who has a second factor, what is asked for, with the ticket. */
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
  second_factor?: { ticket: string; methods: ('code' | 'passkey' | 'recovery-code')[] } | undefined;
}

export interface MailTextBlock {
  /** How many times it is quoted. */
  quote: number;
  is_signature: boolean;
  runs: {
    text: string;
    /** http, https or mailto. Absent: it is no link. */
    href?: string | undefined;
  }[];
}

export interface MailUnsubscribed {
  /** The sender took it. */
  done: boolean;
  /** For people: what came of it. */
  text: string;
}

export interface MailWaiting {
  /**
   * The kind of provider that it was accepted for, where the installation has the other one now. It
   * waits until an operator releases or withdraws it. Null: nothing waits for that.
   */
  other_provider: 'sandbox' | 'real' | null;
  /** How many of its recipients wait. */
  recipients: number;
}

export interface MailboxForwarding {
  to: string;
  /** Whether a copy stays in the mailbox. */
  keep: boolean;
}

export interface MailboxRule {
  id: string;
  /** From 1 on. */
  position: number;
  name: string;
  enabled: boolean;
  /** Whether all conditions have to be met, or one of them. */
  match: 'all' | 'any';
  conditions: string[];
  actions: string[];
}

export interface MailboxVacation {
  /** Null: Auto: and the subject that it answers. */
  subject: string | null;
  text: string;
  html: string | null;
  from: string | null;
  until: string | null;
  /** For how long a sender gets no other answer: 1 to 30. */
  days: number;
}

export interface NewTotp {
  /** From the step before. It works once, within ten minutes. */
  ticket: string;
  /** For apps that take no picture. */
  secret: string;
  uri: string;
  /** An SVG image as a data URL: the same for a camera. */
  qr_code: string;
}

export interface Outgoing {
  id: string;
  /** What waits may be taken back. What is sent, or was refused when its time came, is told for a day. */
  status: 'waiting' | 'sent' | 'refused';
  /** Why it was refused, in words. */
  problem: string | null;
  /** Of what was refused: the draft that it is again. */
  draft: string | null;
  sends_at: string;
  /** It has a time of its own, and not merely ten seconds. */
  is_scheduled: boolean;
  recipients: number;
  subject: string;
  to: {
    name?: string | null | undefined;
    /** As it was typed: an unfinished one is kept, and refused when the draft is sent. */
    address: string;
  }[];
}

export interface OutgoingList {
  /** The next one first. */
  data: Outgoing[];
}

export interface PasskeyAnswer {
  /** From the step before. It works once, within ten minutes. */
  ticket: string;
  response: {
    /** Base64url. */
    id: string;
    /** Base64url. */
    rawId: string;
    type: 'public-key';
    authenticatorAttachment?: 'platform' | 'cross-platform' | undefined;
    clientExtensionResults: Record<string, unknown>;
    response: {
      /** Base64url. */
      clientDataJSON: string;
      /** Base64url. */
      authenticatorData: string;
      /** Base64url. */
      signature: string;
      /** Base64url. */
      userHandle?: string | undefined;
    };
  };
  /** When it is the second step. */
  second_factor_ticket?: string | undefined;
}

/** For `navigator.credentials`, in the form of WebAuthn Level 3. */
export interface PasskeyQuestion {
  /** From the step before. It works once, within ten minutes. */
  ticket: string;
  options: Record<string, unknown>;
}

/** Shown once. Those before stop working. */
export interface RecoveryCodes {
  recovery_codes: string[];
}

export interface RenameMailFolder {
  /** The whole path. Folders that it is in are made where they are missing. */
  path: string;
}

export interface RenamePasskey {
  /** On one line. */
  name: string;
}

export interface Reply {
  /** An address of the mailbox or one of its aliases. Null: the address of the mailbox. */
  from: string | null;
  /** Who it is for. */
  to: {
    name?: string | null | undefined;
    /** As it was typed: an unfinished one is kept, and refused when the draft is sent. */
    address: string;
  }[];
  /** Who gets a copy. */
  cc: {
    name?: string | null | undefined;
    /** As it was typed: an unfinished one is kept, and refused when the draft is sent. */
    address: string;
  }[];
  /** Who gets a copy that the others do not know of. */
  bcc: {
    name?: string | null | undefined;
    /** As it was typed: an unfinished one is kept, and refused when the draft is sent. */
    address: string;
  }[];
  subject: string;
  /** What is written, as the editor has it. Null: it is plain text. */
  html: string | null;
  /** What is written, where html is null; else it is made of html. */
  text: string;
  /**
   * What is answered or handed on, below the signature, so that no editor has to understand it. Null:
   * nothing, or it stands in html.
   */
  quoted_html: string | null;
  /** Whether the signature of the mailbox is added, once, above quoted_html. */
  with_signature: boolean;
  /** What is answered or handed on. */
  in_reply_to: string | null;
  /** What becomes of in_reply_to when this is sent: it is marked so. */
  mode: 'reply' | 'forward' | null;
  attachments: DraftAttachment[];
}

export interface RuleList {
  /** In their order. */
  data: MailboxRule[];
}

export interface RuleWords {
  name: string;
  /** Whether all conditions have to be met, or one of them. */
  match: 'all' | 'any';
  conditions: string[];
  actions: string[];
}

export interface SaveDraft {
  /**
   * A random name of the composer that saves, the same for all its saves: the same save twice makes one
   * draft.
   */
  client: string;
  /**
   * When this was written, by the clock of the composer. A save that comes after a later one of the same
   * composer changes nothing.
   */
  written_at?: string | undefined;
  /** Who it is for. */
  to: {
    name?: string | null | undefined;
    /** As it was typed: an unfinished one is kept, and refused when the draft is sent. */
    address: string;
  }[];
  subject: string;
  /** What is written, as the editor has it. Null: it is plain text. */
  html: string | null;
  /** What is written, where html is null; else it is made of html. */
  text: string;
  /** An address of the mailbox or one of its aliases. Null: the address of the mailbox. */
  from?: string | null | undefined;
  /** Who gets a copy. */
  cc?:
    | {
        name?: string | null | undefined;
        /** As it was typed: an unfinished one is kept, and refused when the draft is sent. */
        address: string;
      }[]
    | undefined;
  /** Who gets a copy that the others do not know of. */
  bcc?:
    | {
        name?: string | null | undefined;
        /** As it was typed: an unfinished one is kept, and refused when the draft is sent. */
        address: string;
      }[]
    | undefined;
  /**
   * What is answered or handed on, below the signature, so that no editor has to understand it. Null:
   * nothing, or it stands in html.
   */
  quoted_html?: string | null | undefined;
  /** Whether the signature of the mailbox is added, once, above quoted_html. */
  with_signature?: boolean | undefined;
  /** What is answered or handed on. */
  in_reply_to?: string | null | undefined;
  /** What becomes of in_reply_to when this is sent: it is marked so. */
  mode?: 'reply' | 'forward' | null | undefined;
  attachments?:
    | {
        upload?: string | undefined;
        message?: string | undefined;
        /** As the attachments of a message name it. Null: the whole message, as message/rfc822. */
        part?: string | null | undefined;
      }[]
    | undefined;
}

/** A code of the app, or a recovery code. */
export interface SecondFactor {
  /** From the step before. It works once, within ten minutes. */
  ticket: string;
  code: string;
}

export interface SendDraft {
  /**
   * When it is to go out, a year ahead at most. Null: now, which is in ten seconds, so that it may be
   * taken back.
   */
  send_at?: string | null | undefined;
}

export interface TrustSender {
  address: string;
  /** false: no longer. Default: true. */
  trusted?: boolean | undefined;
}

export interface TrustedSenderList {
  /** By address. Images of elsewhere in their messages are shown, where it is proved that they sent them. */
  data: { address: string; created_at: string }[];
}

export interface UndoMailActions {
  /** Of one action or the turns of one, the last turn first. */
  undo: string[];
}

export interface UndoneMailActions {
  /** Messages that are as they were. One that somebody has moved on since stays where it is. */
  changed: number;
}

export interface Upload {
  id: string;
  name: string;
  type: string;
  octets: number;
  /**
   * Where the bytes are. An image that stands in the html of a draft with this address goes out inside
   * the message.
   */
  url: string;
}

export interface Vacation {
  /** Null: nobody is answered. */
  vacation: MailboxVacation | null;
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
  '/session/second-factor': {
    /** Sign in to a mailbox: the second step, with a code */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': SecondFactor } };
      responses: { 200: { content: { 'application/json': MailSignInAnswer } } };
    };
  };
  '/session/passkey-question': {
    /** Begin to sign in to a mailbox with a passkey */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: { content: { 'application/json': AskPasskey } };
      responses: { 200: { content: { 'application/json': PasskeyQuestion } } };
    };
  };
  '/session/passkey': {
    /** Sign in to a mailbox with a passkey */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': PasskeyAnswer } };
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
  '/mailboxes/{mailbox}/session/confirmation': {
    /** Say again who sits there */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: { content: { 'application/json': ConfirmSession } };
      responses: { 200: { content: { 'application/json': Confirmation } } };
    };
  };
  '/mailboxes/{mailbox}/session/confirmation/passkey-question': {
    /** Begin to say again who sits there, with a passkey */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': PasskeyQuestion } } };
    };
  };
  '/mailboxes/{mailbox}/account': {
    /** Tell how the owner signs in */
    get: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MailOwnAccount } } };
    };
  };
  '/mailboxes/{mailbox}/password': {
    /** Change the password of the mailbox */
    put: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': ChangeMailPassword } };
      responses: { 204: { content: never } };
    };
  };
  '/mailboxes/{mailbox}/sessions': {
    /** List where the mailbox is open */
    get: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MailSessions } } };
    };
    /** Sign out everywhere else */
    delete: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/mailboxes/{mailbox}/sessions/{id}': {
    /** Sign a browser out */
    delete: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/mailboxes/{mailbox}/app-passwords': {
    /** App passwords of the mailbox, without their secrets */
    get: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': AppPasswordList } } };
    };
    /** Make a password for one mail app */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': CreateAppPassword } };
      responses: { 201: { content: { 'application/json': CreatedAppPassword } } };
    };
  };
  '/mailboxes/{mailbox}/app-passwords/{id}': {
    /** Revoke an app password */
    delete: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/mailboxes/{mailbox}/authenticator-app': {
    /** Begin to set up an authenticator app */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': NewTotp } } };
    };
    /** Remove the authenticator app */
    delete: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/mailboxes/{mailbox}/authenticator-app/confirmation': {
    /** Set up an authenticator app */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': ConfirmTotp } };
      responses: { 200: { content: { 'application/json': ConfirmedTotp } } };
    };
  };
  '/mailboxes/{mailbox}/recovery-codes': {
    /** Make other recovery codes */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': RecoveryCodes } } };
    };
  };
  '/mailboxes/{mailbox}/passkeys/question': {
    /** Begin to add a passkey */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': PasskeyQuestion } } };
    };
  };
  '/mailboxes/{mailbox}/passkeys': {
    /** Add a passkey */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': AddPasskey } };
      responses: { 201: { content: { 'application/json': AddedPasskey } } };
    };
  };
  '/mailboxes/{mailbox}/passkeys/{id}': {
    /** Call a passkey something else */
    patch: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': RenamePasskey } };
      responses: { 204: { content: never } };
    };
    /** Remove a passkey */
    delete: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
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
  '/mailboxes/{mailbox}/search': {
    /** Search everything, while somebody types */
    get: {
      parameters: {
        query: { q: string; limit?: number | undefined; cursor?: string | undefined };
        path: { mailbox: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MailSearchPage } } };
    };
  };
  '/mailboxes/{mailbox}/actions': {
    /** Move, mark or delete conversations, messages, or all of a folder or a search */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': MailActionRequest } };
      responses: { 200: { content: { 'application/json': MailActionResult } } };
    };
  };
  '/mailboxes/{mailbox}/actions/undo': {
    /** Put back what actions of the last ten minutes changed */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': UndoMailActions } };
      responses: { 200: { content: { 'application/json': UndoneMailActions } } };
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
  '/mailboxes/{mailbox}/events': {
    /** Hear at once that something has happened, for as long as the session lives */
    get: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'text/event-stream': string } } };
    };
  };
  '/mailboxes/{mailbox}/rules': {
    /** List the rules */
    get: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': RuleList } } };
    };
    /** Add a rule */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': AddMailboxRule } };
      responses: { 201: { content: { 'application/json': MailboxRule } } };
    };
  };
  '/mailboxes/{mailbox}/rules/{id}': {
    /** Put another rule in the place of one */
    put: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': RuleWords } };
      responses: { 200: { content: { 'application/json': MailboxRule } } };
    };
    /** Move a rule, or switch it on or off */
    patch: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: { content: { 'application/json': ChangeMailboxRule } };
      responses: { 204: { content: never } };
    };
    /** Remove a rule */
    delete: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/mailboxes/{mailbox}/vacation': {
    /** What people are answered while the owner is away */
    get: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': Vacation } } };
    };
    /** Answer people who write while the owner is away */
    put: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': MailboxVacation } };
      responses: { 204: { content: never } };
    };
    /** Answer nobody any more */
    delete: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/mailboxes/{mailbox}/forwarding': {
    /** Where mail goes on to, and what became of that */
    get: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': Forwarding } } };
    };
    /** Forward what comes from now on */
    put: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': MailboxForwarding } };
      responses: { 204: { content: never } };
    };
    /** Forward nothing any more, but what rules forward */
    delete: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/mailboxes/{mailbox}/blocked': {
    /** List the blocked senders */
    get: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': BlockedSenderList } } };
    };
    /** Take nothing from a sender */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': BlockSender } };
      responses: { 204: { content: never } };
    };
    /** Take mail from a sender again */
    delete: {
      parameters: { query: { sender: string }; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/mailboxes/{mailbox}/settings': {
    /** How the owner reads and writes */
    get: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MailSettings } } };
    };
    /** Change how the owner reads and writes */
    patch: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: { content: { 'application/json': ChangeMailSettings } };
      responses: { 200: { content: { 'application/json': MailSettings } } };
    };
  };
  '/mailboxes/{mailbox}/messages/{id}/invitation': {
    /** What the calendar in a message says */
    get: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': Invitation } } };
    };
    /** Answer an invitation */
    post: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': AnswerInvitation } };
      responses: { 200: { content: { 'application/json': Invitation } } };
    };
  };
  '/mailboxes/{mailbox}/identities': {
    /** As whom the mailbox writes, and within what bounds */
    get: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': Identities } } };
    };
  };
  '/mailboxes/{mailbox}/addresses': {
    /** Whom a message may be for */
    get: {
      parameters: { query: { q: string }; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': KnownAddresses } } };
    };
  };
  '/mailboxes/{mailbox}/uploads': {
    /** Send a file that is to be attached */
    post: {
      parameters: {
        query: { name: string; type?: string | undefined };
        path: { mailbox: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 201: { content: { 'application/json': Upload } } };
    };
  };
  '/mailboxes/{mailbox}/uploads/{id}': {
    /** The bytes of a file that was uploaded */
    get: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/octet-stream': string } } };
    };
  };
  '/mailboxes/{mailbox}/file-links/uploads': {
    /** What of tus 1.0 is understood */
    options: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
    /** Announce a large file */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 201: { content: never } };
    };
  };
  '/mailboxes/{mailbox}/file-links/uploads/{id}': {
    /** How far an upload came */
    head: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: never } };
    };
    /** Send bytes of a large file */
    patch: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
    /** Whatever X-HTTP-Method-Override says */
    post: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
    /** Give up an upload */
    delete: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/mailboxes/{mailbox}/file-links': {
    /** The file links of the mailbox */
    get: {
      parameters: {
        query?: { cursor?: string | undefined };
        path: { mailbox: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': FileLinkList } } };
    };
    /** Make a link of files */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': CreateFileLink } };
      responses: { 201: { content: { 'application/json': FileLink } } };
    };
  };
  '/mailboxes/{mailbox}/file-links/{id}': {
    /** A file link, and what was downloaded from it */
    get: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': FileLinkDetail } } };
    };
    /** Change until when, how often and with which password a link works */
    patch: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: { content: { 'application/json': ChangeFileLink } };
      responses: { 200: { content: { 'application/json': FileLink } } };
    };
    /** Revoke a link */
    delete: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/mailboxes/{mailbox}/drafts': {
    /** Save a draft for the first time */
    post: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': SaveDraft } };
      responses: { 201: { content: { 'application/json': Draft } } };
    };
  };
  '/mailboxes/{mailbox}/drafts/{id}': {
    /** A draft to go on with */
    get: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': Draft } } };
    };
    /** Save a draft again */
    put: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': SaveDraft } };
      responses: { 200: { content: { 'application/json': Draft } } };
    };
    /** Delete a draft for ever */
    delete: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/mailboxes/{mailbox}/drafts/{id}/send': {
    /** Send a draft, now or later */
    post: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: { content: { 'application/json': SendDraft } };
      responses: { 202: { content: { 'application/json': Outgoing } } };
    };
  };
  '/mailboxes/{mailbox}/messages/{id}/reply': {
    /** What an answer begins with, or a message that is handed on */
    get: {
      parameters: {
        query: { mode: 'reply' | 'reply-all' | 'forward' | 'forward-attached'; zone?: string | undefined };
        path: { mailbox: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': Reply } } };
    };
  };
  '/mailboxes/{mailbox}/outgoing': {
    /** What waits to be sent, and what became of it within a day */
    get: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': OutgoingList } } };
    };
  };
  '/mailboxes/{mailbox}/outgoing/{id}/cancel': {
    /** Take back what waits to be sent */
    post: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': Draft } } };
    };
  };
  '/mailboxes/{mailbox}/messages/{id}': {
    /** A message with what it says as text, its attachments, and what is to be known of it */
    get: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MailMessage } } };
    };
  };
  '/mailboxes/{mailbox}/messages/{id}/waiting': {
    /** Whether a message that the owner has sent waits for its kind of provider */
    get: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MailWaiting } } };
    };
  };
  '/mailboxes/{mailbox}/messages/{id}/html': {
    /** The HTML of a message, for a frame */
    get: {
      parameters: {
        query?: {
          theme?: 'light' | 'dark' | undefined;
          remote?: '0' | '1' | undefined;
          quote?: '0' | '1' | undefined;
        };
        path: { mailbox: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'text/html': string } } };
    };
  };
  '/mailboxes/{mailbox}/messages/{id}/print': {
    /** A message with its header, as a page to print */
    get: {
      parameters: {
        query?: {
          theme?: 'light' | 'dark' | undefined;
          remote?: '0' | '1' | undefined;
          quote?: '0' | '1' | undefined;
        };
        path: { mailbox: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'text/html': string } } };
    };
  };
  '/mailboxes/{mailbox}/messages/{id}/source': {
    /** The source of a message as a page of text */
    get: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'text/plain': string } } };
    };
  };
  '/mailboxes/{mailbox}/messages/{id}/raw': {
    /** A message as it was received, as a file */
    get: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'message/rfc822': string } } };
    };
  };
  '/mailboxes/{mailbox}/messages/{id}/parts/{part}': {
    /** Save an attachment */
    get: {
      parameters: {
        query?: never;
        path: { mailbox: string; id: string; part: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/octet-stream': string } } };
    };
  };
  '/mailboxes/{mailbox}/messages/{id}/parts/{part}/preview': {
    /** Look at an attachment */
    get: {
      parameters: {
        query?: never;
        path: { mailbox: string; id: string; part: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { '*/*': string } } };
    };
  };
  '/mailboxes/{mailbox}/messages/{id}/parts/{part}/inline': {
    /** An image of a message within its frame */
    get: {
      parameters: {
        query: { sig: string };
        path: { mailbox: string; id: string; part: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'image/*': string } } };
    };
  };
  '/mailboxes/{mailbox}/messages/{id}/remote': {
    /** An image of elsewhere within the frame of a message */
    get: {
      parameters: {
        query: { url: string; sig: string };
        path: { mailbox: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'image/*': string } } };
    };
  };
  '/mailboxes/{mailbox}/messages/{id}/unsubscribe': {
    /** Get no more mail of the kind of this message */
    post: {
      parameters: { query?: never; path: { mailbox: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MailUnsubscribed } } };
    };
  };
  '/mailboxes/{mailbox}/trusted-senders': {
    /** Senders whose images of elsewhere are always shown */
    get: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': TrustedSenderList } } };
    };
    /** Always show images of elsewhere in messages of a sender, or no longer */
    put: {
      parameters: { query?: never; path: { mailbox: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': TrustSender } };
      responses: { 204: { content: never } };
    };
  };
}
