/** The searchable log of emails (docs/emails-search.md). */
import { Type } from 'typebox';
import { MAX_QUERY_LENGTH } from '../../model/email-query.ts';
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
      description: 'Where nothing was found: the words that no email has.',
    }),
    fault: Nullable(
      Type.String({
        description:
          'Why nothing was looked for: what is wrong with `q`, which may be half typed. It names the term.',
      }),
    ),
    is_complete: Type.Boolean({
      description: 'False: emails wait to be indexed, and not all of them were looked at.',
    }),
  },
  { $id: 'EmailLog', description: 'A page of the log.' },
);
export type EmailLog = Type.Static<typeof EmailLog>;

const Query = Type.Optional(
  Type.String({
    maxLength: MAX_QUERY_LENGTH,
    description:
      'What is looked for, as in `to:anna status:bounced since:7d "order 42"`. Absent: everything.',
  }),
);

export const SearchEmailsQuery = Type.Object(
  {
    q: Query,
    limit: Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 50,
      description: 'How many emails a page holds.',
    }),
    cursor: Type.Optional(
      Type.String({ maxLength: 512, description: 'next_cursor of the page before. Opaque.' }),
    ),
    after: Type.Optional(
      Type.Unsafe<string>({
        ...Id('em'),
        description:
          'Only emails that may have come since this one, with those of the minute before it: some are in the list later than their ids say.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type SearchEmailsQuery = Type.Static<typeof SearchEmailsQuery>;

export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const ExportEmailsQuery = Type.Object(
  { q: Query, format: Words(EXPORT_FORMATS) },
  { additionalProperties: false },
);
