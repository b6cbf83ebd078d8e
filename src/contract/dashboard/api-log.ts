/** The API log: rejected requests with API keys (docs/api-log.md). */
import { Type } from 'typebox';
import { ERROR_CODES } from '../../model/app-error.ts';
import { Id, Nullable, Ref, StringMap, Timestamp, Words } from '../schema.ts';

const summaryFields = {
  id: Id('rej'),
  created_at: Timestamp,
  key: Type.Object({
    id: Id('key'),
    name: Type.String(),
    revoked: Type.Boolean(),
  }),
  method: Type.String(),
  route: Type.String({ description: 'The path of the operation, such as `/v1/emails/{id}`.' }),
  path: Type.String({ description: 'The path of the request, without its query.' }),
  status: Type.Integer(),
  problem: Words(ERROR_CODES, { description: 'The error code.' }),
  detail: Type.String(),
  invalid_fields: Type.Array(Type.String(), {
    description: 'The names of the invalid fields of the request.',
  }),
  omitted_before: Type.Integer({
    description:
      'At least this many rejected requests of the key before this one were not stored, because there were too many at once.',
  }),
};

export const RejectedRequestSummary = Type.Object(summaryFields, { $id: 'RejectedRequestSummary' });
export type RejectedRequestSummary = Type.Static<typeof RejectedRequestSummary>;

export const RejectedRequestPage = Type.Object(
  {
    data: Type.Array(Ref(RejectedRequestSummary), { description: 'Newest first.' }),
    next_cursor: Nullable(Type.String()),
  },
  { $id: 'RejectedRequestPage' },
);
export type RejectedRequestPage = Type.Static<typeof RejectedRequestPage>;

export const RejectedRequestQuery = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
    key: Type.Optional(Type.String({ maxLength: 100, description: 'Only requests with this API key.' })),
    problem: Type.Optional(Words(ERROR_CODES, { description: 'Only requests with this error code.' })),
  },
  { additionalProperties: false },
);
export type RejectedRequestQuery = Type.Static<typeof RejectedRequestQuery>;

export const RejectedRequestDetail = Type.Object(
  {
    ...summaryFields,
    errors: Nullable(StringMap({ description: 'What is wrong with each invalid field of the request.' })),
    body: Nullable(
      Type.String({
        description:
          'The body as JSON, without secrets and shortened. Null: the request had none, or was rejected before it was read, or the user may not see it.',
      }),
    ),
    hides_body: Type.Boolean({
      description: 'The body is null because the user may not see the content of emails.',
    }),
    address: Nullable(Type.String({ description: 'The IP address of the client.' })),
    user_agent: Nullable(Type.String()),
    request_id: Type.String({
      description: 'The value of `X-Request-Id`, which is also in the service log.',
    }),
  },
  { $id: 'RejectedRequestDetail' },
);
export type RejectedRequestDetail = Type.Static<typeof RejectedRequestDetail>;
