/** Webhooks as the dashboard shows them (docs/webhooks.md, What the dashboard shows). */
import { type Static, Type } from 'typebox';
import { EVENT_KEYS, TEST_EVENT } from '../../model/event-keys.ts';
import { Id, Nullable, Ref, Secret, Timestamp, Words } from '../schema.ts';
import { deliveryFields, webhookFields } from '../webhooks.ts';

const Count = Type.Integer({ minimum: 0 });

export const WebhookActivity = Type.Object(
  {
    since: Type.String({ format: 'date-time', description: 'The start of the first step.' }),
    step_seconds: Type.Integer({ minimum: 1, description: 'An hour or a day.' }),
    delivered: Type.Array(Count, { description: 'The attempts in each step with a 2xx response.' }),
    failed: Type.Array(Count, { description: 'The attempts in each step without a 2xx response.' }),
  },
  { $id: 'WebhookActivity' },
);
export type WebhookActivity = Type.Static<typeof WebhookActivity>;

export const DeliveryCount = Type.Object(
  { count: Count, has_more: Type.Boolean({ description: 'Whether there are more than `count`.' }) },
  { $id: 'DeliveryCount' },
);
export type DeliveryCount = Type.Static<typeof DeliveryCount>;

export const DeliveryCounts = Type.Object(
  { pending: Ref(DeliveryCount), delivered: Ref(DeliveryCount), failed: Ref(DeliveryCount) },
  { $id: 'DeliveryCounts' },
);
export type DeliveryCounts = Type.Static<typeof DeliveryCounts>;

export const WebhookActivityDetail = Type.Object(
  {
    ...WebhookActivity.properties,
    deliveries: Ref(DeliveryCounts, 'The deliveries of events at `since` or later, by their current status.'),
  },
  { $id: 'WebhookActivityDetail' },
);
export type WebhookActivityDetail = Type.Static<typeof WebhookActivityDetail>;

const dashboardFields = {
  ...webhookFields,
  failing_since: Nullable(Type.String({ format: 'date-time' })),
  disabled_at: Nullable(
    Type.String({
      format: 'date-time',
      description:
        'When the webhook is disabled if no delivery succeeds before. Null while it is not failing.',
    }),
  ),
  previous_secret_until: Nullable(
    Type.String({
      format: 'date-time',
      description: 'During a rotation of the secret: until when the old secret signs X-Mail-Signature.',
    }),
  ),
};

export const DashboardWebhook = Type.Object(
  { ...dashboardFields, activity: Ref(WebhookActivity, 'The activity in the last 24 hours.') },
  { $id: 'DashboardWebhook' },
);
export type DashboardWebhook = Type.Static<typeof DashboardWebhook>;

export const DashboardWebhookList = Type.Object(
  { data: Type.Array(Ref(DashboardWebhook), { description: 'Oldest first.' }) },
  { $id: 'DashboardWebhookList' },
);
export type DashboardWebhookList = Type.Static<typeof DashboardWebhookList>;

export const WebhookReplay = Type.Object(
  {
    since: Nullable(Type.String({ format: 'date-time', description: 'Null: all stored events.' })),
    started_at: Timestamp,
    total: Type.Integer({ minimum: 0, description: 'The number of failed deliveries when it started.' }),
    has_more: Type.Boolean({ description: 'Whether there were more than `total`.' }),
    replayed: Type.Integer({
      minimum: 0,
      description: 'The number of these deliveries that are queued or sent again.',
    }),
    ended_at: Nullable(Timestamp),
    ended_by: Nullable(Words(['done', 'stopped', 'disabled'])),
  },
  { $id: 'WebhookReplay' },
);
export type WebhookReplay = Type.Static<typeof WebhookReplay>;

export const WebhookRetry = Type.Object(
  {
    started_at: Timestamp,
    total: Type.Integer({
      minimum: 0,
      description: 'The number of deliveries that were waiting when it started.',
    }),
    has_more: Type.Boolean({ description: 'Whether there were more than `total`.' }),
    retried: Type.Integer({
      minimum: 0,
      description: 'The number of these deliveries that became due early.',
    }),
    ended_at: Nullable(Timestamp),
    ended_by: Nullable(
      Words(['done', 'stopped', 'disabled', 'failing'], {
        description: 'failing: no delivery succeeded, so the others keep the times of their next attempts.',
      }),
    ),
  },
  { $id: 'WebhookRetry' },
);
export type WebhookRetry = Type.Static<typeof WebhookRetry>;

export const WaitingDeliveries = Type.Object(
  {
    count: Count,
    has_more: Type.Boolean({ description: 'Whether there are more than were counted.' }),
    next_at: Nullable(
      Type.String({
        format: 'date-time',
        description: 'The time when the first pending delivery is due. Null: none is pending.',
      }),
    ),
  },
  { $id: 'WaitingDeliveries' },
);
export type WaitingDeliveries = Type.Static<typeof WaitingDeliveries>;

export const DashboardWebhookDetail = Type.Object(
  {
    ...dashboardFields,
    waiting: Ref(WaitingDeliveries, 'The pending deliveries.'),
    retryable: Ref(
      DeliveryCount,
      'The pending deliveries that wait for a later attempt. Not counted: those that are due or being sent.',
    ),
    retry: Type.Union([Ref(WebhookRetry), Type.Null()], {
      description: 'The last retry of all pending deliveries. Null: there was none.',
    }),
    replay: Type.Union([Ref(WebhookReplay), Type.Null()], {
      description: 'The last replay. Null: there was none.',
    }),
  },
  { $id: 'DashboardWebhookDetail' },
);
export type DashboardWebhookDetail = Type.Static<typeof DashboardWebhookDetail>;

const { request_body, response_body, truncated, ...contractFields } = deliveryFields;

export const DeliveryAbout = Type.Object(
  {
    recipient: Nullable(
      Type.String({
        description: 'The recipient of the event, or the first To address of the email. Null: it has none.',
      }),
    ),
    more_recipients: Type.Integer({
      minimum: 0,
      description: 'How many more recipients the email has, if the event concerns all of them.',
    }),
    subject: Type.String(),
  },
  { $id: 'DeliveryAbout' },
);
export type DeliveryAbout = Type.Static<typeof DeliveryAbout>;

const summaryFields = {
  ...contractFields,
  is_sending: Type.Boolean({
    description:
      'Whether an attempt is in progress. Its result is not known yet, and `next_attempt_at` is no plan.',
  }),
  about: Type.Union([Ref(DeliveryAbout), Type.Null()], {
    description: 'Which email the event is about. Null: the email was deleted, or there is none.',
  }),
};

export const DeliverySummary = Type.Object(summaryFields, { $id: 'DeliverySummary' });
export type DeliverySummary = Type.Static<typeof DeliverySummary>;

export const DeliveryPage = Type.Object(
  {
    data: Type.Array(Ref(DeliverySummary), {
      description: 'Newest first. With the status pending: next one due first.',
    }),
    next_cursor: Nullable(Type.String()),
    looked_back_to: Nullable(
      Type.String({
        format: 'date-time',
        description:
          'For an incomplete page: the time back to which deliveries were searched. The next page continues there. Null: all deliveries were searched.',
      }),
    ),
    leaves_out_pending: Type.Boolean({
      description: 'Too many deliveries are pending. Only the list of pending deliveries shows them.',
    }),
  },
  { $id: 'DeliveryPage' },
);
export type DeliveryPage = Type.Static<typeof DeliveryPage>;

export const DeliveryQuery = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
    status: Type.Optional(Words(['pending', 'delivered', 'failed'])),
    type: Type.Optional(Words([...EVENT_KEYS, TEST_EVENT])),
    since: Type.Optional(Type.String({ format: 'date-time', description: 'Events at this time or later.' })),
    until: Type.Optional(Type.String({ format: 'date-time', description: 'Events before this time.' })),
  },
  { additionalProperties: false },
);
export type DeliveryQuery = Type.Static<typeof DeliveryQuery>;

export const AttemptResult = Type.Object(
  {
    at: Timestamp,
    http_status: Nullable(Type.Integer({ description: 'Null if there was no response.' })),
    error: Nullable(Type.String()),
    duration_ms: Nullable(Type.Integer({ minimum: 0 })),
    response_body: Type.String({ description: 'At most 500 characters.' }),
    truncated: Type.Boolean({ description: 'Whether the response body was longer.' }),
  },
  { $id: 'AttemptResult' },
);
export type AttemptResult = Type.Static<typeof AttemptResult>;

export const DeliveryDetail = Type.Object(
  {
    ...summaryFields,
    hides_bodies: Type.Boolean({
      description: 'The bodies are empty because the user may not see the content of emails.',
    }),
    attempt_results: Type.Array(Ref(AttemptResult), {
      description:
        'The results of the attempts, oldest first, including those before a replay. Results that are not stored are missing.',
    }),
    request_headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
      description: 'The form of the signatures, which are new for each attempt.',
    }),
    request_body,
    response_body,
    truncated,
  },
  { $id: 'DeliveryDetail' },
);
export type DeliveryDetail = Type.Static<typeof DeliveryDetail>;

export const ActivityQuery = Type.Object(
  { span: Words(['24h', '7d', '30d']) },
  { additionalProperties: false },
);

const Since = Nullable(
  Type.String({ format: 'date-time', description: 'Events at this time or later. Null: all stored events.' }),
);

export const ReplayFailed = Type.Object(
  { since: Since },
  { $id: 'ReplayFailed', additionalProperties: false },
);

export const FailedQuery = Type.Object(
  {
    since: Type.Optional(Type.String({ format: 'date-time', description: 'Events at this time or later.' })),
  },
  { additionalProperties: false },
);

/** The choices for the time that the old secret stays valid after a rotation, in hours. */
export const OVERLAP_HOURS = [0, 1, 24, 168] as const;

export const RotateSecret = Type.Object(
  {
    overlap_hours: Type.Unsafe<(typeof OVERLAP_HOURS)[number]>({
      type: 'integer',
      enum: OVERLAP_HOURS,
      description: 'How long the old secret continues to sign, along with the new one. 0: it stops at once.',
    }),
  },
  { $id: 'RotateSecret', additionalProperties: false },
);
export type RotateSecret = Static<typeof RotateSecret>;

export const RotatedSecret = Type.Object(
  {
    id: Id('wh'),
    secret: Secret(Type.String({ description: 'The new secret. Returned only in this response.' })),
    previous_secret_until: Nullable(Type.String({ format: 'date-time' })),
  },
  { $id: 'RotatedSecret' },
);
export type RotatedSecret = Type.Static<typeof RotatedSecret>;
