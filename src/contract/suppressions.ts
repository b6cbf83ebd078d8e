/** Addresses that a project no longer sends to (docs/contract.md, Suppressions). An addition to the contract. */
import { Type } from 'typebox';
import { SUPPRESSION_REASONS } from '../model/suppression-reasons.ts';
import { Id, MAX_ADDRESS_LENGTH, Nullable, Ref, Timestamp, Words } from './schema.ts';

/** The maximum number of addresses in one request. */
export const MAX_ADDED = 1_000;

const reasons =
  "manual: added manually. unsubscribe: the recipient unsubscribed. bounce: the recipient's server reports that the mailbox does not exist. complaint: the recipient marked an email as spam.";

const example = {
  address: 'ann@dst.example',
  reason: 'bounce' as const,
  email_id: 'em_01KAGK5RB0J6M9TZ4Q7W2X8Y3N',
  detail: { diagnostic: '550 5.1.1 <ann@dst.example>: no such user' },
  created_at: '2026-11-20T15:04:05.123Z',
  expires_at: null,
};

export const Suppression = Type.Object(
  {
    address: Type.String({ description: 'The normalized address. Case is ignored.' }),
    reason: Words(SUPPRESSION_REASONS, { description: reasons }),
    email_id: Nullable(
      Type.Unsafe<string>({
        ...Id('em'),
        description: 'The email that caused it, which may have been deleted since. Null: added manually.',
      }),
    ),
    detail: Nullable(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'Details: `diagnostic` is the reply of the server.',
      }),
    ),
    created_at: Timestamp,
    expires_at: Nullable(Type.Unsafe<string>({ ...Timestamp, description: 'Null: it does not expire.' })),
  },
  { $id: 'Suppression', description: 'Addition to contract 0.3.0.', examples: [example] },
);
export type Suppression = Type.Static<typeof Suppression>;

export const SuppressionList = Type.Object(
  {
    data: Type.Array(Ref(Suppression), { description: 'Newest first.' }),
    next_cursor: Nullable(Type.String({ description: 'The cursor of the next page; null on the last one.' })),
  },
  {
    $id: 'SuppressionList',
    description: 'Addition to contract 0.3.0. A page of the list.',
    examples: [{ data: [example], next_cursor: null }],
  },
);
export type SuppressionList = Type.Static<typeof SuppressionList>;

export const SuppressionPage = {
  limit: Type.Integer({
    minimum: 1,
    maximum: 200,
    default: 50,
    description: 'The number of addresses per page.',
  }),
  cursor: Type.Optional(
    Type.String({
      maxLength: 2_048,
      description: 'The next_cursor of the previous page. Opaque.',
      examples: ['WyJzdXBwcmVzc2lvbnMiLCIxNzk1MTg3MDQ1MTIzMDAwIiwiYW5uQGRzdC5leGFtcGxlIl0'],
    }),
  ),
};

export const ListSuppressionsQuery = Type.Object(
  {
    ...SuppressionPage,
    address: Type.Optional(
      Type.String({
        maxLength: MAX_ADDRESS_LENGTH,
        description: 'Only this address, in any spelling.',
        examples: ['ann@dst.example'],
      }),
    ),
    reason: Type.Optional(Words(SUPPRESSION_REASONS, { description: 'Only addresses with this reason.' })),
    since: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Only addresses added at this time or later.',
        examples: ['2026-11-20T00:00:00.000Z'],
      }),
    ),
  },
  { additionalProperties: false },
);
export type ListSuppressionsQuery = Type.Static<typeof ListSuppressionsQuery>;

export const AddSuppressions = Type.Object(
  {
    addresses: Type.Array(Type.String({ maxLength: MAX_ADDRESS_LENGTH }), {
      minItems: 1,
      maxItems: MAX_ADDED,
      description: 'If one of them is invalid, none is added.',
    }),
    reason: Type.Optional(Words(SUPPRESSION_REASONS, { description: `Absent: manual. ${reasons}` })),
    expires_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'When the suppression expires. Absent: never.' }),
    ),
  },
  {
    $id: 'AddSuppressions',
    additionalProperties: false,
    description: 'Addition to contract 0.3.0.',
    examples: [{ addresses: ['ann@dst.example'], reason: 'unsubscribe' }],
  },
);
export type AddSuppressions = Type.Static<typeof AddSuppressions>;

export const AddedSuppressions = Type.Object(
  {
    data: Type.Array(Ref(Suppression), {
      description:
        'The current entry for each address, without duplicates. An existing entry may have a stronger reason.',
    }),
    added: Type.Integer({ minimum: 0, description: 'The number of addresses that are new on the list.' }),
  },
  {
    $id: 'AddedSuppressions',
    description: 'Addition to contract 0.3.0.',
    examples: [{ data: [example], added: 1 }],
  },
);
export type AddedSuppressions = Type.Static<typeof AddedSuppressions>;
