/** Webhooks as the dashboard shows them (docs/webhooks.md, What the dashboard shows). */
import { type Static, Type } from 'typebox';
import { EVENT_KEYS, TEST_EVENT } from '../../model/event-keys.ts';
import { Id, Nullable, Ref, Timestamp, Words } from '../schema.ts';
import { deliveryFields, webhookFields } from '../webhooks.ts';

const Count = Type.Integer({ minimum: 0 });

export const WebhookActivity = Type.Object(
  {
    since: Type.String({ format: 'date-time', description: 'When the first step begins.' }),
    step_seconds: Type.Integer({ minimum: 1, description: 'An hour or a day.' }),
    delivered: Type.Array(Count, { description: 'Attempts of each step that were answered with a 2xx.' }),
    failed: Type.Array(Count, { description: 'Attempts of each step that were not.' }),
  },
  { $id: 'WebhookActivity' },
);
export type WebhookActivity = Type.Static<typeof WebhookActivity>;

const dashboardFields = {
  ...webhookFields,
  failing_since: Nullable(Type.String({ format: 'date-time' })),
  disabled_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When it is disabled if nothing succeeds until then. Null while it does not fail.',
    }),
  ),
  previous_secret_until: Nullable(
    Type.String({
      format: 'date-time',
      description: 'While a secret is rotated: until when the old one signs X-Mail-Signature.',
    }),
  ),
};

export const DashboardWebhook = Type.Object(
  { ...dashboardFields, activity: Ref(WebhookActivity, 'Of the last 24 hours.') },
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
    since: Nullable(Type.String({ format: 'date-time', description: 'Null: all that is kept.' })),
    started_at: Timestamp,
    total: Type.Integer({ minimum: 0, description: 'How many deliveries had failed when it began.' }),
    has_more: Type.Boolean({ description: 'Whether there were more than that.' }),
    replayed: Type.Integer({ minimum: 0, description: 'How many of them are due again by now, or out.' }),
    ended_at: Nullable(Timestamp),
    ended_by: Nullable(Words(['done', 'stopped', 'disabled'])),
  },
  { $id: 'WebhookReplay' },
);
export type WebhookReplay = Type.Static<typeof WebhookReplay>;

export const FailedDeliveries = Type.Object(
  { count: Count, has_more: Type.Boolean({ description: 'Whether there are more than that.' }) },
  { $id: 'FailedDeliveries' },
);
export type FailedDeliveries = Type.Static<typeof FailedDeliveries>;

export const WaitingDeliveries = Type.Object(
  {
    count: Count,
    has_more: Type.Boolean({ description: 'Whether there are more than that.' }),
    next_at: Nullable(
      Type.String({ format: 'date-time', description: 'When the first of them is due. Null: none waits.' }),
    ),
  },
  { $id: 'WaitingDeliveries' },
);
export type WaitingDeliveries = Type.Static<typeof WaitingDeliveries>;

export const DashboardWebhookDetail = Type.Object(
  {
    ...dashboardFields,
    waiting: Ref(WaitingDeliveries, 'What is still to be delivered.'),
    replay: Type.Union([Ref(WebhookReplay), Type.Null()], {
      description: 'The last one. Null: there was none.',
    }),
  },
  { $id: 'DashboardWebhookDetail' },
);
export type DashboardWebhookDetail = Type.Static<typeof DashboardWebhookDetail>;

const { request_body, response_body, truncated, ...summaryFields } = deliveryFields;

export const DeliverySummary = Type.Object(summaryFields, { $id: 'DeliverySummary' });
export type DeliverySummary = Type.Static<typeof DeliverySummary>;

export const DeliveryPage = Type.Object(
  {
    data: Type.Array(Ref(DeliverySummary), {
      description: 'Newest first; those with the status pending: the next one due first.',
    }),
    next_cursor: Nullable(Type.String()),
    looked_back_to: Nullable(
      Type.String({
        format: 'date-time',
        description:
          'Of a page that holds less than it could: how far back was looked for it. The next page goes on there. Null: to the end.',
      }),
    ),
    leaves_out_pending: Type.Boolean({
      description: 'So many wait that only the list of those has them.',
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
    since: Type.Optional(Type.String({ format: 'date-time', description: 'Of the event.' })),
    until: Type.Optional(Type.String({ format: 'date-time', description: 'Before that.' })),
  },
  { additionalProperties: false },
);
export type DeliveryQuery = Type.Static<typeof DeliveryQuery>;

export const DeliveryDetail = Type.Object(
  {
    ...summaryFields,
    hides_bodies: Type.Boolean({
      description: 'The bodies are empty because who asks may not see the contents of emails.',
    }),
    request_headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
      description: 'Signatures are made anew for each attempt: their form.',
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
  Type.String({ format: 'date-time', description: 'Events of then and later. Null: all that is kept.' }),
);

export const ReplayFailed = Type.Object(
  { since: Since },
  { $id: 'ReplayFailed', additionalProperties: false },
);

export const FailedQuery = Type.Object(
  { since: Type.Optional(Type.String({ format: 'date-time', description: 'Events of then and later.' })) },
  { additionalProperties: false },
);

/** The hours for which the old secret stays valid. */
export const OVERLAP_HOURS = [0, 1, 24, 168] as const;

export const RotateSecret = Type.Object(
  {
    overlap_hours: Type.Unsafe<(typeof OVERLAP_HOURS)[number]>({
      type: 'integer',
      enum: OVERLAP_HOURS,
      description: 'For how long the old secret goes on signing, with the new one beside it. 0: not at all.',
    }),
  },
  { $id: 'RotateSecret', additionalProperties: false },
);
export type RotateSecret = Static<typeof RotateSecret>;

export const RotatedSecret = Type.Object(
  {
    id: Id('wh'),
    secret: Type.String({ description: 'The new one. Shown here and never again.' }),
    previous_secret_until: Nullable(Type.String({ format: 'date-time' })),
  },
  { $id: 'RotatedSecret' },
);
export type RotatedSecret = Type.Static<typeof RotatedSecret>;
