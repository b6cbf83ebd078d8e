/** Emails: send, list, retrieve (docs/contract.md, Emails). */
import { Type } from 'typebox';
import { EMAIL_STAGES } from '../model/email-status.ts';
import { STREAMS } from '../model/streams.ts';
import { EmailEvent, EmailStatus, TIMELINE_EXAMPLE } from './events.ts';
import { MAX_BYTES_KEYWORD, MAX_LISTED_KEYWORD } from './keywords.ts';
import {
  EXAMPLE_IDS,
  Id,
  MAX_ADDRESS_LENGTH,
  Nullable,
  PrivateContent,
  Ref,
  StringMap,
  Timestamp,
  Words,
} from './schema.ts';

export const MAX_SUBJECT_LENGTH = 998;
export const MAX_CONTENT_BYTES = 2 * 1024 * 1024;
export const MAX_HEADERS = 50;
export const MAX_HEADER_LENGTH = 8_192;
export const MAX_TAGS = 20;
export const MAX_TAG_LENGTH = 256;
/** Limits the work for a list of addresses. An email has at most 50 recipients, which are counted only after duplicates are removed. */
export const MAX_LISTED_ADDRESSES = 1_000;

const Address = Type.String({ minLength: 1, maxLength: MAX_ADDRESS_LENGTH });
const addresses = { [MAX_LISTED_KEYWORD]: MAX_LISTED_ADDRESSES, examples: [['ada@example.com']] };
const Recipients = (description: string) => Type.Optional(Type.Array(Address, { ...addresses, description }));
const Content = (description: string) =>
  Type.Optional(PrivateContent(Type.String({ [MAX_BYTES_KEYWORD]: MAX_CONTENT_BYTES, description })));

const ONE_OF_BOTH =
  'At least one of html and text is required, unless template_id is set. An empty string counts as absent. At most 2 MB.';

export const SendEmail = Type.Object(
  {
    from: Type.String({
      minLength: 1,
      maxLength: MAX_ADDRESS_LENGTH,
      description:
        'addr@domain or Name <addr@domain>, on a verified domain of the project or on the hosted domain.',
    }),
    to: Type.Array(Address, {
      ...addresses,
      minItems: 1,
      description:
        'Recipients: at most 50 in to, cc and bcc together. Duplicates count once and get one copy.',
    }),
    cc: Recipients('Further recipients, visible in the message: at most 50 in to, cc and bcc together.'),
    bcc: Recipients('Hidden recipients, not visible in the message: at most 50 in to, cc and bcc together.'),
    reply_to: Type.Optional(Address),
    subject: Type.Optional(PrivateContent(Type.String({ maxLength: MAX_SUBJECT_LENGTH }))),
    html: Content(ONE_OF_BOTH),
    text: Content(ONE_OF_BOTH),
    template_id: Type.Optional(
      Type.String({
        maxLength: MAX_TAG_LENGTH,
        description:
          'Addition to contract 0.3.0. A template of the project, used instead of subject, html and text. It is rendered with variables when the email is accepted.',
        examples: [EXAMPLE_IDS.tpl],
      }),
    ),
    variables: Type.Optional(
      PrivateContent(
        Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          description:
            "Addition to contract 0.3.0. The values of the template's variables, by name: text, numbers, lists and objects. If a variable is missing, the error names it.",
          examples: [{ name: 'Ada', order: { id: '4711' } }],
        }),
      ),
    ),
    headers: Type.Optional(
      PrivateContent(
        StringMap(
          {
            maxProperties: MAX_HEADERS,
            description:
              'Extra headers, name to value. Headers that the service sets itself, and headers that control mail relays, are rejected.',
          },
          MAX_HEADER_LENGTH,
        ),
      ),
    ),
    tags: Type.Optional(
      Type.Array(Type.String({ maxLength: MAX_TAG_LENGTH }), { maxItems: MAX_TAGS, examples: [['order']] }),
    ),
    stream: Type.Optional(
      Words(STREAMS, {
        description:
          'Addition to contract 0.3.0. transactional (the default): mail that its recipient is waiting for. bulk: mail to many recipients. The streams of a project share its capacity fairly, so neither stream waits behind a backlog of the other.',
      }),
    ),
    scheduled_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'Addition to contract 0.3.0. The time to send the email, up to 30 days ahead. Until then it is queued and can be cancelled with POST /v1/emails/{id}/cancel. A time up to five minutes in the past means now; earlier times are rejected.',
        examples: ['2026-11-21T08:00:00.000Z'],
      }),
    ),
    attachments: Type.Optional(
      PrivateContent(
        Type.Never({
          description: 'Not supported here: attachments belong to mailbox compose. Omit this field.',
        }),
      ),
    ),
  },
  {
    $id: 'SendEmail',
    additionalProperties: false,
    anyOf: [{ required: ['html'] }, { required: ['text'] }, { required: ['template_id'] }],
    examples: [
      {
        from: 'Acme <orders@acme.example>',
        to: ['customer@example.org'],
        subject: 'Your order has shipped',
        html: '<p>It is on its way.</p>',
        tags: ['order'],
      },
    ],
  },
);
export type SendEmail = Type.Static<typeof SendEmail>;

export const MAX_BATCH_EMAILS = 100;

export const SendBatch = Type.Object(
  {
    emails: Type.Array(SendEmail, {
      minItems: 1,
      maxItems: MAX_BATCH_EMAILS,
      description: 'Each item is a send request. At most 6 MB in total.',
    }),
  },
  {
    $id: 'SendBatch',
    description: 'Addition to contract 0.3.0.',
    additionalProperties: false,
    examples: [
      {
        emails: [
          {
            from: 'Acme <orders@acme.example>',
            to: ['ada@example.org'],
            subject: 'Your order has shipped',
            text: 'It is on its way.',
          },
          {
            from: 'Acme <orders@acme.example>',
            to: ['grace@example.org'],
            subject: 'Your order has shipped',
            text: 'It is on its way.',
          },
        ],
      },
    ],
  },
);
export type SendBatch = Type.Static<typeof SendBatch>;

const CREATED_AT = '2026-11-20T15:04:05.123Z';

export const QueuedEmail = Type.Object(
  { id: Id('em'), status: Words(['queued']), created_at: Timestamp },
  { $id: 'QueuedEmail', examples: [{ id: EXAMPLE_IDS.em, status: 'queued', created_at: CREATED_AT }] },
);
export type QueuedEmail = Type.Static<typeof QueuedEmail>;

export const QueuedBatch = Type.Object(
  { data: Type.Array(Ref(QueuedEmail), { description: 'In the order of the request.' }) },
  {
    $id: 'QueuedBatch',
    description: 'Addition to contract 0.3.0. The accepted emails of a batch.',
    examples: [
      {
        data: [
          { id: EXAMPLE_IDS.em, status: 'queued', created_at: CREATED_AT },
          { id: 'em_01KAGK5RB3W8H4D1V6M0B9TXQ2', status: 'queued', created_at: CREATED_AT },
        ],
      },
    ],
  },
);

const summaryFields = {
  id: Id('em'),
  status: Ref(EmailStatus),
  subject: Type.String({ description: 'As provided; empty if none was.' }),
  from: Type.String({ description: 'As provided.' }),
  to: Type.Array(Type.String(), { description: 'As provided.' }),
  created_at: Timestamp,
  scheduled_at: Nullable(
    Type.String({
      ...Timestamp,
      description: 'Addition to contract 0.3.0. The scheduled time of sending. Null: sent immediately.',
    }),
  ),
};
const summaryExample = {
  id: EXAMPLE_IDS.em,
  status: 'sent',
  subject: 'Your order has shipped',
  from: 'Acme <orders@acme.example>',
  to: ['customer@example.org'],
  created_at: CREATED_AT,
  scheduled_at: null,
};

export const EmailSummary = Type.Object(summaryFields, { $id: 'EmailSummary', examples: [summaryExample] });
export type EmailSummary = Type.Static<typeof EmailSummary>;

const ADDITION = 'Addition to contract 0.3.0.';
const given = (words: string) => ({ description: `${ADDITION} ${words}` });

export const EmailDetail = Type.Object(
  {
    ...summaryFields,
    html: Type.String({ description: 'As provided; empty if none was, or if it was deleted.' }),
    text: Type.String({ description: 'As provided; empty if none was, or if it was deleted.' }),
    bodies_deleted_at: Nullable(
      Type.String({ ...Timestamp, ...given('When html and text were deleted; null while they are stored.') }),
    ),
    stream: Words(STREAMS, given('As provided; transactional if none was.')),
    template_id: Nullable(
      Type.String(
        given('The template that subject, html and text were rendered from; null if they were provided.'),
      ),
    ),
    cc: Type.Array(Type.String(), given('As provided.')),
    bcc: Type.Array(Type.String(), given('As provided.')),
    reply_to: Nullable(Type.String(given('As provided; null if none was.'))),
    headers: StringMap(given('As provided.')),
    tags: Type.Array(Type.String(), given('As provided.')),
    message_id: Type.String(
      given('The Message-ID of the message, the same in every copy. Amazon SES replaces it with its own.'),
    ),
    events: Type.Array(Ref(EmailEvent), { description: 'The timeline, oldest first.' }),
  },
  {
    $id: 'EmailDetail',
    examples: [
      {
        ...summaryExample,
        html: '<p>It is on its way.</p>',
        text: '',
        bodies_deleted_at: null,
        stream: 'transactional',
        template_id: null,
        cc: [],
        bcc: [],
        reply_to: 'help@acme.example',
        headers: { 'X-Order': '4711' },
        tags: ['order'],
        message_id: '<01kagk5rb3e2yq4t7n9pz6wx8v@acme.example>',
        events: TIMELINE_EXAMPLE,
      },
    ],
  },
);
export type EmailDetail = Type.Static<typeof EmailDetail>;

/** A scheduled email after its cancellation. */
export const CANCELLED_EMAIL = {
  ...summaryExample,
  status: 'failed',
  scheduled_at: '2026-11-21T08:00:00.000Z',
  html: '<p>It is on its way.</p>',
  text: '',
  bodies_deleted_at: null,
  stream: 'transactional',
  template_id: null,
  cc: [],
  bcc: [],
  reply_to: null,
  headers: {},
  tags: ['order'],
  message_id: '<01kagk5rb3e2yq4t7n9pz6wx8v@acme.example>',
  events: [
    TIMELINE_EXAMPLE[0],
    {
      id: 'evt_01KAGK8XN5T2W9R4B7Q1C6Z3MD',
      type: 'failed',
      created_at: '2026-11-20T15:06:00.485Z',
      recipient: 'customer@example.org',
      detail: {
        recipient: 'customer@example.org',
        reason: 'cancelled',
        detail: 'it was cancelled before it was sent',
      },
    },
  ],
};

export const EmailList = Type.Object(
  {
    data: Type.Array(Ref(EmailSummary), { description: 'Newest first.' }),
    next_cursor: Nullable(Type.String({ description: 'The cursor of the next page; null on the last one.' })),
  },
  { $id: 'EmailList', examples: [{ data: [summaryExample], next_cursor: null }] },
);
export type EmailList = Type.Static<typeof EmailList>;

const addition = (which: string) => `${ADDITION} Only emails ${which}.`;
const Filter = (which: string, example: string, rule: { maxLength: number } | { format: 'date-time' }) =>
  Type.Optional(Type.String({ ...rule, description: addition(which), examples: [example] }));

export const ListEmailsQuery = Type.Object(
  {
    limit: Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 50,
      description: 'The number of emails per page.',
    }),
    cursor: Type.Optional(
      Type.String({
        maxLength: 512,
        description: 'The next_cursor of the previous page. Opaque.',
        examples: [
          'WyJlbWFpbHMiLCIyMDI2LTExLTIwVDE1OjA0OjA1LjEyM1oiLCIwMTlhYTEzMi1lMTYzLTcwYmQtNzI2OC1mNTRkYmU2ZTc1MWIiXQ',
        ],
      }),
    ),
    status: Type.Optional(Words(EMAIL_STAGES, { description: addition('with this status') })),
    to: Filter('to this address', 'customer@example.org', { maxLength: MAX_ADDRESS_LENGTH }),
    from: Filter('from this address', 'orders@acme.example', { maxLength: MAX_ADDRESS_LENGTH }),
    tag: Filter('with this tag', 'order', { maxLength: MAX_TAG_LENGTH }),
    since: Filter('created at this time or later', '2026-11-20T00:00:00.000Z', { format: 'date-time' }),
    until: Filter('created before this time', '2026-11-21T00:00:00.000Z', { format: 'date-time' }),
  },
  { additionalProperties: false },
);
export type ListEmailsQuery = Type.Static<typeof ListEmailsQuery>;
