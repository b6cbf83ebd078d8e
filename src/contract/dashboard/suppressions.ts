/** The suppression list as the dashboard shows and changes it (docs/suppressions.md). */
import { Type } from 'typebox';
import { SUPPRESSION_REASONS } from '../../model/suppression-reasons.ts';
import { MAX_ADDRESS_LENGTH, Nullable, Ref, Timestamp, Words } from '../schema.ts';
import { Suppression, SuppressionPage } from '../suppressions.ts';
import { EXPORT_FORMATS } from './email-log.ts';

/** The maximum number of addresses to remove in one request. Each removal is a separate entry in the audit log. */
const MAX_REMOVED = 100;
/** The maximum size of a piece of an imported file, in characters. */
const MAX_PIECE = 40_000;

const filters = {
  q: Type.Optional(Type.String({ maxLength: 254, description: 'A part of the address.' })),
  reason: Type.Optional(Words(SUPPRESSION_REASONS)),
};

export const SearchSuppressionsQuery = Type.Object(
  { ...SuppressionPage, ...filters },
  { additionalProperties: false },
);
export type SearchSuppressionsQuery = Type.Static<typeof SearchSuppressionsQuery>;

export const ExportSuppressionsQuery = Type.Object(
  { ...filters, format: Words(EXPORT_FORMATS) },
  { additionalProperties: false },
);

export const GetSuppressionQuery = Type.Object(
  { address: Type.String({ maxLength: MAX_ADDRESS_LENGTH }) },
  { additionalProperties: false },
);

export const ExplainedSuppression = Type.Object(
  {
    suppression: Ref(Suppression),
    email: Nullable(
      Type.Object(
        { subject: Type.String(), created_at: Timestamp },
        { description: 'The email that caused it. Null: there is none, or it was deleted.' },
      ),
    ),
    event: Nullable(
      Type.Object(
        { type: Words(['bounced', 'complained']), created_at: Timestamp },
        { description: 'The event that caused it. Null: none in its timeline.' },
      ),
    ),
  },
  { $id: 'ExplainedSuppression', description: 'An entry with its reason.' },
);
export type ExplainedSuppression = Type.Static<typeof ExplainedSuppression>;

export const RemoveSuppressions = Type.Object(
  {
    addresses: Type.Array(Type.String({ maxLength: MAX_ADDRESS_LENGTH }), {
      minItems: 1,
      maxItems: MAX_REMOVED,
    }),
  },
  { $id: 'RemoveSuppressions', additionalProperties: false },
);

export const RemovedSuppressions = Type.Object(
  { removed: Type.Integer({ minimum: 0, description: 'The number of addresses that were on the list.' }) },
  { $id: 'RemovedSuppressions' },
);

export const ImportSuppressions = Type.Object(
  {
    text: Type.String({ maxLength: MAX_PIECE, description: 'A piece of a file.' }),
    first_line: Nullable(
      Type.String({
        maxLength: MAX_PIECE,
        description:
          'The first line of the file, which may name its columns. Null: the piece starts with it.',
      }),
    ),
    is_end: Type.Boolean({ description: 'Whether this is the last piece.' }),
    reason: Words(SUPPRESSION_REASONS, { description: 'The reason for lines without one.' }),
  },
  { $id: 'ImportSuppressions', additionalProperties: false },
);
export type ImportSuppressions = Type.Static<typeof ImportSuppressions>;

export const ImportedSuppressions = Type.Object(
  {
    read: Type.Integer({
      minimum: 0,
      description: 'The number of characters read. The next piece starts after them.',
    }),
    lines: Type.Integer({ minimum: 0, description: 'The number of lines read.' }),
    added: Type.Integer({ minimum: 0 }),
    known: Type.Integer({ minimum: 0, description: 'The number of addresses already on the list.' }),
    refused: Type.Array(
      Type.Object({
        line: Type.Integer({ minimum: 0, description: 'The line number within the piece, starting at 0.' }),
        text: Type.String(),
        error: Type.String(),
      }),
      { description: 'The lines that were skipped, and why.' },
    ),
  },
  { $id: 'ImportedSuppressions' },
);
export type ImportedSuppressions = Type.Static<typeof ImportedSuppressions>;
