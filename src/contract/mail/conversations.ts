/** Conversations, as rows of a list and as a page to read (docs/mailboxes.md, Folders and messages). */
import { Type } from 'typebox';
import { Id, Nullable, Ref, Timestamp } from '../schema.ts';
import { MailState } from './folders.ts';

/** The maximum in one row; the conversation itself shows all. */
export const MAX_ROW_PEOPLE = 10;
export const MAX_ROW_MESSAGES = 100;
export const MAX_QUERY_LENGTH = 1_000;

const Count = Type.Integer({ minimum: 0 });

export const MailPerson = Type.Object(
  {
    name: Nullable(Type.String({ description: 'As the message says. Null: it says none.' })),
    address: Type.String(),
  },
  { $id: 'MailPerson' },
);
export type MailPerson = Type.Static<typeof MailPerson>;

export const ConversationRow = Type.Object(
  {
    id: Id('thr'),
    folder: Nullable(
      Type.Unsafe<string>({
        ...Id('fld'),
        description:
          'All of this row is about the messages in this folder. Null: in all folders that were searched.',
      }),
    ),
    subject: Type.String({ description: 'Of the newest message; may be empty.' }),
    preview: Type.String({ description: 'How the text of the newest message begins.' }),
    newest_at: Type.Unsafe<string>({ ...Timestamp, description: 'When the newest message was received.' }),
    messages: Count,
    unread: Count,
    starred: Type.Integer({ minimum: 0, description: 'How many of its messages have a star.' }),
    answered: Type.Boolean({ description: 'Whether its newest message was answered.' }),
    has_file: Type.Boolean(),
    has_draft: Type.Boolean(),
    from: Type.Array(
      Type.Object({
        ...MailPerson.properties,
        unread: Type.Boolean({ description: 'Whether a message from them is unread.' }),
      }),
      {
        description: `Who wrote it, each once, who wrote last at the end; ${MAX_ROW_PEOPLE} at most, with those whose messages are unread first among whom to keep.`,
      },
    ),
    to: Type.Array(Ref(MailPerson), { description: 'Whom the newest message was for, for Sent and Drafts.' }),
    message_ids: Type.Array(Id('msg'), {
      description: `The newest first, ${MAX_ROW_MESSAGES} at most.`,
    }),
  },
  { $id: 'ConversationRow' },
);
export type ConversationRow = Type.Static<typeof ConversationRow>;

const Limit = Type.Integer({ minimum: 1, maximum: 100, default: 50 });
const Cursor = Type.Optional(Type.String({ maxLength: 300, description: 'As next or previous of a page.' }));

export const ConversationQuery = Type.Object(
  {
    folder: Id('fld'),
    limit: Limit,
    cursor: Cursor,
    at: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2 ** 31 - 1,
        description: 'The page that begins with this row, from 0 on. Not with cursor.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type ConversationQuery = Type.Static<typeof ConversationQuery>;

export const ConversationPage = Type.Object(
  {
    data: Type.Array(Ref(ConversationRow), { description: 'The newest first.' }),
    next: Nullable(Type.String({ description: 'For older ones. Null: there are none.' })),
    previous: Nullable(Type.String({ description: 'For newer ones. Null: there are none.' })),
    total: Count,
    first_row: Type.Integer({
      minimum: 0,
      description:
        'At which place of the list the page begins. Behind a cursor it is not looked for again, and follows from it.',
    }),
    is_complete: Type.Boolean({
      description: 'False for some minutes after an upgrade: the list of this folder is still being made.',
    }),
    state: MailState,
  },
  { $id: 'ConversationPage' },
);
export type ConversationPage = Type.Static<typeof ConversationPage>;

export const MailSearchQuery = Type.Object(
  {
    q: Type.String({
      maxLength: MAX_QUERY_LENGTH,
      description:
        'Words, "phrases", and from: to: cc: subject: has:file before: after: in: is:unread is:starred is:answered larger:, each also with - in front. Trash and Junk are searched where in: names them.',
    }),
    limit: Limit,
    cursor: Cursor,
  },
  { additionalProperties: false },
);
export type MailSearchQuery = Type.Static<typeof MailSearchQuery>;

export const MailSearchPage = Type.Object(
  {
    data: Type.Array(Ref(ConversationRow), {
      description: 'Conversations of which a message was found, by the newest of those.',
    }),
    next: Nullable(Type.String()),
    is_complete: Type.Boolean({
      description: 'False: it took too long, and only the newest part of the mailbox was looked through.',
    }),
    problem: Nullable(
      Type.String({
        description: 'What of the query is not understood, for whoever typed it. The rest was looked for.',
      }),
    ),
  },
  { $id: 'MailSearchPage' },
);
export type MailSearchPage = Type.Static<typeof MailSearchPage>;

export const MailMessageSummary = Type.Object(
  {
    id: Id('msg'),
    message_id: Nullable(Type.String({ description: 'Its Message-ID, with its angle brackets.' })),
    folders: Type.Array(Id('fld'), { description: 'All that it is in.' }),
    from: Type.Array(Ref(MailPerson)),
    to: Type.Array(Ref(MailPerson)),
    cc: Type.Array(Ref(MailPerson)),
    bcc: Type.Array(Ref(MailPerson)),
    reply_to: Type.Array(Ref(MailPerson)),
    subject: Type.String(),
    date: Nullable(Type.String({ format: 'date-time', description: 'As the message says.' })),
    received_at: Timestamp,
    preview: Type.String(),
    seen: Type.Boolean(),
    starred: Type.Boolean(),
    answered: Type.Boolean(),
    forwarded: Type.Boolean(),
    draft: Type.Boolean(),
    octets: Count,
    files: Type.Integer({
      minimum: 0,
      description: 'How many attachments it has; the message itself names them.',
    }),
  },
  { $id: 'MailMessageSummary' },
);
export type MailMessageSummary = Type.Static<typeof MailMessageSummary>;

export const MailConversationQuery = Type.Object({ cursor: Cursor }, { additionalProperties: false });
export type MailConversationQuery = Type.Static<typeof MailConversationQuery>;

export const MailConversation = Type.Object(
  {
    id: Id('thr'),
    subject: Type.String({ description: 'Of its first message, without Re: and the like.' }),
    total: Type.Integer({ minimum: 1, description: 'How many messages it has, in all folders.' }),
    messages: Type.Array(Ref(MailMessageSummary), {
      description: 'The oldest first, 200 at most: those at the end of the conversation.',
    }),
    previous: Nullable(Type.String({ description: 'The cursor for those before. Null: there are none.' })),
  },
  { $id: 'MailConversation' },
);
export type MailConversation = Type.Static<typeof MailConversation>;
