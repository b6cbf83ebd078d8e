/** The searchable log of emails (docs/emails-search.md). */
import { Type } from 'typebox';
import { MAX_QUERY_LENGTH, type Outcome } from '../../model/email-query.ts';
import type { QueueState } from '../../model/queue-states.ts';
import { EmailSummary } from '../emails.ts';
import { Id, Nullable, Ref, Words } from '../schema.ts';

export const LoggedEmail = Type.Object(
  { ...EmailSummary.properties, tags: Type.Array(Type.String()) },
  { $id: 'LoggedEmail', description: 'A row of the log.' },
);
export type LoggedEmail = Type.Static<typeof LoggedEmail>;

export const EmailLog = Type.Object(
  {
    data: Type.Array(Ref(LoggedEmail), { description: 'Newest first.' }),
    next_cursor: Nullable(Type.String({ description: 'The cursor of the next page; null on the last one.' })),
    unmatched: Type.Array(Type.String(), {
      description: 'If nothing was found: the words that no email contains.',
    }),
    fault: Nullable(
      Type.String({
        description:
          'The error in `q`, which may be incomplete while the user types. It names the term. Nothing was searched.',
      }),
    ),
    is_complete: Type.Boolean({
      description: 'False: some emails are not indexed yet and were not searched.',
    }),
  },
  { $id: 'EmailLog', description: 'A page of the log.' },
);
export type EmailLog = Type.Static<typeof EmailLog>;

export type EmailOutcome = Outcome;
export type EmailQueueState = QueueState;

const Query = Type.Optional(
  Type.String({
    maxLength: MAX_QUERY_LENGTH,
    description:
      'The search query, such as `to:anna status:bounced since:7d "order 42"`. Absent: all emails.',
  }),
);

export const SearchEmailsQuery = Type.Object(
  {
    q: Query,
    limit: Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 50,
      description: 'The number of emails per page.',
    }),
    cursor: Type.Optional(
      Type.String({ maxLength: 512, description: 'The next_cursor of the previous page. Opaque.' }),
    ),
    after: Type.Optional(
      Type.Unsafe<string>({
        ...Id('em'),
        description:
          'Only emails that are newer than this one, and those of the minute before it, because some appear in the list later than their ids suggest.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type SearchEmailsQuery = Type.Static<typeof SearchEmailsQuery>;

/** The highest count. Counting more would take longer than reading a page. */
export const MAX_COUNT = 10_000;

export const CountEmailsQuery = Type.Object(
  { q: Query, cursor: SearchEmailsQuery.properties.cursor },
  { additionalProperties: false },
);
export type CountEmailsQuery = Type.Static<typeof CountEmailsQuery>;

export const EmailCount = Type.Object(
  {
    emails: Type.Integer({
      minimum: 0,
      maximum: MAX_COUNT,
      description:
        'The emails on the page that the cursor belongs to and on all later pages; without a cursor all emails.',
    }),
    recipients: Nullable(
      Type.Integer({
        minimum: 0,
        description:
          'The recipients of these emails that have the outcome and the mailbox provider of the search. Null: it has neither.',
      }),
    ),
    is_more: Type.Boolean({ description: 'True: there may be more emails, which were not counted.' }),
  },
  { $id: 'EmailCount', description: 'How many emails match a search.' },
);
export type EmailCount = Type.Static<typeof EmailCount>;

const ViewName = Type.String({ minLength: 1, maxLength: 60, pattern: '\\S' });
const ViewQuery = Type.String({ minLength: 1, maxLength: MAX_QUERY_LENGTH, description: 'The search.' });
const IsShared = Type.Boolean({
  description: 'Whether everyone in the project sees the view. Otherwise only the user who saved it does.',
});

export const EmailView = Type.Object(
  { id: Id('vw'), name: ViewName, q: ViewQuery, is_shared: IsShared },
  { $id: 'EmailView', description: 'A saved search.' },
);
export type EmailView = Type.Static<typeof EmailView>;

export const EmailViewList = Type.Object(
  { data: Type.Array(Ref(EmailView), { description: 'Sorted by name.' }) },
  { $id: 'EmailViewList' },
);
export type EmailViewList = Type.Static<typeof EmailViewList>;

export const SaveEmailView = Type.Object(
  { name: ViewName, q: ViewQuery, is_shared: IsShared },
  { $id: 'SaveEmailView', additionalProperties: false },
);
export type SaveEmailView = Type.Static<typeof SaveEmailView>;

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const ExportEmailsQuery = Type.Object(
  { q: Query, format: Words(EXPORT_FORMATS) },
  { additionalProperties: false },
);
