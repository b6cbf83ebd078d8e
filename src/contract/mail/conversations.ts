/** Conversations, as rows of a list and as a page to read (docs/mailboxes.md, Folders and messages). */
import { Type } from 'typebox';
import { Id, Nullable, Ref, Timestamp, Words } from '../schema.ts';
import { MailState } from './folders.ts';

/** The maximum number of people in a row of a list. The conversation itself shows all people. */
export const MAX_ROW_PEOPLE = 10;
export const MAX_ROW_MESSAGES = 100;
export const MAX_QUERY_LENGTH = 1_000;

const Count = Type.Integer({ minimum: 0 });

export const MailPerson = Type.Object(
  {
    name: Nullable(Type.String({ description: 'The name in the message. Null: none.' })),
    address: Type.String(),
  },
  { $id: 'MailPerson' },
);
export type MailPerson = Type.Static<typeof MailPerson>;

const AnsweredBy = Nullable(
  Type.Object(
    {
      address: Type.String({ description: 'The address of the member.' }),
      name: Nullable(Type.String({ description: 'The name that the member chose. Null: none.' })),
      at: Timestamp,
    },
    {
      description:
        'The latest answer that a member of a shared mailbox sent to the message, or to the newest message of a row. Null: no member answered it.',
    },
  ),
);
export type MailAnswer = NonNullable<Type.Static<typeof AnsweredBy>>;

const Labels = Type.Array(Type.String(), {
  description: 'The keywords of the labels, sorted and in lower case.',
});
export const FoundMessage = Type.Object(
  {
    folder: Id('fld'),
    snippet: Nullable(
      Type.String({
        description:
          'The text around a word of the search, in lower case. Null: the word is in the subject, a name or an address.',
      }),
    ),
  },
  { description: 'The newest message of the conversation that a search found. Absent in folders.' },
);
export type FoundMessage = Type.Static<typeof FoundMessage>;

export const ConversationRow = Type.Object(
  {
    id: Id('thr'),
    folder: Nullable(
      Type.Unsafe<string>({
        ...Id('fld'),
        description: 'The row only describes messages in this folder. Null: in all folders searched.',
      }),
    ),
    subject: Type.String({
      description: 'The subject of the newest message, without prefixes such as Re:; may be empty.',
    }),
    preview: Type.String({ description: 'The beginning of the text of the newest message.' }),
    newest_at: Type.Unsafe<string>({ ...Timestamp, description: 'When the newest message was received.' }),
    messages: Count,
    unread: Count,
    starred: Type.Integer({ minimum: 0, description: 'The number of starred messages.' }),
    answered: Type.Boolean({ description: 'Whether the newest message was answered.' }),
    answered_by: AnsweredBy,
    has_file: Type.Boolean(),
    has_draft: Type.Boolean(),
    labels: Labels,
    pinned: Type.Boolean({ description: 'Pinned conversations are listed first.' }),
    muted: Type.Boolean(),
    snoozed_until: Nullable(
      Type.Unsafe<string>({
        ...Timestamp,
        description: 'When the conversation returns from Snoozed, or has returned. Null: it was not snoozed.',
      }),
    ),
    from: Type.Array(
      Type.Object({
        ...MailPerson.properties,
        unread: Type.Boolean({ description: 'Whether a message from them is unread.' }),
      }),
      {
        description: `The authors without duplicates, most recent last; at most ${MAX_ROW_PEOPLE}, preferring authors of unread messages.`,
      },
    ),
    to: Type.Array(Ref(MailPerson), {
      description: 'The recipients of the newest message, for Sent and Drafts.',
    }),
    message_ids: Type.Array(Id('msg'), {
      description: `Newest first, at most ${MAX_ROW_MESSAGES}.`,
    }),
    found: Type.Optional(FoundMessage),
  },
  { $id: 'ConversationRow' },
);
export type ConversationRow = Type.Static<typeof ConversationRow>;

const Limit = Type.Integer({ minimum: 1, maximum: 100, default: 50 });
const Cursor = Type.Optional(
  Type.String({ maxLength: 300, description: 'The next or previous of another page.' }),
);

const LIST_FILTERS = ['unread', 'starred', 'file'] as const;
export type ListFilter = (typeof LIST_FILTERS)[number];
const LIST_SORTS = ['newest', 'oldest', 'unread', 'sender', 'size'] as const;
export type ListSort = (typeof LIST_SORTS)[number];
/** The maximum number of rows of a list that is sorted by sender or by size. These orders have no index. */
export const MAX_SORTED_ROWS = 2_000;

export const ConversationQuery = Type.Object(
  {
    folder: Id('fld'),
    filter: Type.Optional(
      Words(LIST_FILTERS, { description: 'Only conversations with such a message in the folder.' }),
    ),
    sort: Type.Optional(
      Words(LIST_SORTS, {
        description: `By default newest. unread: unread conversations first, then newest. sender and size compare the newest messages of the newest ${MAX_SORTED_ROWS} conversations; the list has no others.`,
      }),
    ),
    limit: Limit,
    cursor: Cursor,
    at: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2 ** 31 - 1,
        description: "The index of the page's first row, starting at 0. Cannot be combined with cursor.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type ConversationQuery = Type.Static<typeof ConversationQuery>;

export const ConversationPage = Type.Object(
  {
    data: Type.Array(Ref(ConversationRow), { description: 'In the requested order.' }),
    next: Nullable(
      Type.String({
        description: 'The cursor for older rows. Null: there are none, or the list is filtered or sorted.',
      }),
    ),
    previous: Nullable(
      Type.String({
        description: 'The cursor for newer rows. Null: there are none, or the list is filtered or sorted.',
      }),
    ),
    total: Type.Integer({
      minimum: 0,
      description:
        'The number of rows that match the filter. With a filter, it includes at most 10,000 rows after the page.',
    }),
    first_row: Type.Integer({
      minimum: 0,
      description:
        "The index of the page's first row. With a cursor it is derived from the cursor instead of being counted again.",
    }),
    is_complete: Type.Boolean({
      description: 'False for a few minutes after an upgrade, while the list of this folder is being built.',
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
        'Words, "phrases", and from: to: cc: subject: filename: has:file before: after: in: label: is:unread is:starred is:answered is:pinned is:muted is:snoozed larger:, each can be negated with a leading -. Trash and Junk are searched only if in: names them.',
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
      description: 'Conversations with a matching message, sorted by the newest match.',
    }),
    next: Nullable(Type.String()),
    is_complete: Type.Boolean({
      description: 'False: the search took too long, and only the newest part of the mailbox was searched.',
    }),
    problem: Nullable(
      Type.String({
        description:
          'The parts of the query that were not understood, as text for the user. The rest was searched.',
      }),
    ),
  },
  { $id: 'MailSearchPage' },
);
export type MailSearchPage = Type.Static<typeof MailSearchPage>;

export const MailSearchCountQuery = Type.Object(
  { q: Type.String({ maxLength: MAX_QUERY_LENGTH }) },
  { additionalProperties: false },
);

export const MailSearchCount = Type.Object(
  {
    count: Count,
    is_exact: Type.Boolean({ description: 'False: there are more, which were not counted.' }),
  },
  { $id: 'MailSearchCount' },
);
export type MailSearchCount = Type.Static<typeof MailSearchCount>;

export const MailMessageSummary = Type.Object(
  {
    id: Id('msg'),
    message_id: Nullable(Type.String({ description: 'The Message-ID, with angle brackets.' })),
    folders: Type.Array(Id('fld'), { description: 'All folders that contain it.' }),
    from: Type.Array(Ref(MailPerson)),
    to: Type.Array(Ref(MailPerson)),
    cc: Type.Array(Ref(MailPerson)),
    bcc: Type.Array(Ref(MailPerson)),
    reply_to: Type.Array(Ref(MailPerson)),
    subject: Type.String(),
    date: Nullable(Type.String({ format: 'date-time', description: 'The Date header of the message.' })),
    received_at: Timestamp,
    preview: Type.String(),
    seen: Type.Boolean(),
    starred: Type.Boolean(),
    labels: Labels,
    pinned: Type.Boolean(),
    muted: Type.Boolean(),
    answered: Type.Boolean(),
    forwarded: Type.Boolean(),
    draft: Type.Boolean(),
    octets: Count,
    files: Type.Integer({
      minimum: 0,
      description: 'The number of attachments. The message itself lists them.',
    }),
  },
  { $id: 'MailMessageSummary' },
);
export type MailMessageSummary = Type.Static<typeof MailMessageSummary>;

export const ConversationMessage = Type.Object(
  {
    ...MailMessageSummary.properties,
    answered_by: AnsweredBy,
  },
  { $id: 'ConversationMessage' },
);
export type ConversationMessage = Type.Static<typeof ConversationMessage>;

export const MailConversationQuery = Type.Object({ cursor: Cursor }, { additionalProperties: false });
export type MailConversationQuery = Type.Static<typeof MailConversationQuery>;

export const MailConversation = Type.Object(
  {
    id: Id('thr'),
    subject: Type.String({ description: 'The subject of the first message, without prefixes such as Re:.' }),
    total: Type.Integer({ minimum: 1, description: 'The number of messages in all folders.' }),
    messages: Type.Array(Ref(ConversationMessage), {
      description: 'The last messages of the conversation, at most 200, oldest first.',
    }),
    previous: Nullable(
      Type.String({ description: 'The cursor for earlier messages. Null: there are none.' }),
    ),
  },
  { $id: 'MailConversation' },
);
export type MailConversation = Type.Static<typeof MailConversation>;
