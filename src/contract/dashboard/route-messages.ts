/** Messages of routes as the dashboard shows them (docs/routes.md, What the dashboard shows). */
import { Type } from 'typebox';
import { ROUTE_MESSAGE_STATUSES } from '../../model/routes.ts';
import { Id, Nullable, Ref, Timestamp, Words } from '../schema.ts';
import { AttemptResult } from './webhooks.ts';

const summaryFields = {
  id: Id('rm'),
  status: Words(ROUTE_MESSAGE_STATUSES, { description: 'stored: the route had no URL, so nothing is sent.' }),
  octets: Type.Integer({ minimum: 0 }),
  author: Nullable(Type.String({ description: 'Null for the route of a mailbox, whose mail is private.' })),
  subject: Nullable(Type.String({ description: 'Null for the route of a mailbox, whose mail is private.' })),
  recipients: Type.Array(Type.String()),
  attempts: Type.Integer({ minimum: 0 }),
  max_attempts: Type.Integer({ minimum: 1 }),
  is_sending: Type.Boolean({ description: 'Whether an attempt is in progress.' }),
  http_status: Nullable(Type.Integer({ description: 'The HTTP status of the last attempt.' })),
  error: Nullable(Type.String({ description: 'Why there was no response to the last attempt.' })),
  duration_ms: Nullable(Type.Integer({ minimum: 0 })),
  created_at: Timestamp,
  last_attempt_at: Nullable(Timestamp),
  next_attempt_at: Nullable(Timestamp),
  delivered_at: Nullable(Timestamp),
  expires_at: Timestamp,
};

export const RouteMessageSummary = Type.Object(summaryFields, { $id: 'RouteMessageSummary' });
export type RouteMessageSummary = Type.Static<typeof RouteMessageSummary>;

export const RouteMessagePage = Type.Object(
  {
    data: Type.Array(Ref(RouteMessageSummary), { description: 'Newest first.' }),
    next_cursor: Nullable(
      Type.String({ description: 'The `cursor` of the next page. Null: the list ends here.' }),
    ),
  },
  { $id: 'RouteMessagePage' },
);
export type RouteMessagePage = Type.Static<typeof RouteMessagePage>;

export const RouteMessagePageQuery = Type.Object(
  {
    status: Type.Optional(Words(ROUTE_MESSAGE_STATUSES)),
    cursor: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  },
  { additionalProperties: false },
);
export type RouteMessagePageQuery = Type.Static<typeof RouteMessagePageQuery>;

export const RouteMessageAttempts = Type.Object(
  {
    ...summaryFields,
    response_body: Type.String({ description: 'The response to the last attempt, at most 4 KB.' }),
    truncated: Type.Boolean({ description: 'Whether the response was longer.' }),
    past_attempts: Type.Array(Ref(AttemptResult), {
      description: 'The results of the attempts, oldest first.',
    }),
  },
  { $id: 'RouteMessageAttempts' },
);
export type RouteMessageAttempts = Type.Static<typeof RouteMessageAttempts>;
