/** Webhooks, their deliveries and the test operation (docs/contract.md, Webhooks). */
import { Type } from 'typebox';
import { EVENT_KEYS, TEST_EVENT } from '../model/event-keys.ts';
import { EXAMPLE_IDS, Id, Nullable, Ref, Secret, Timestamp, Words } from './schema.ts';

const MAX_URL_LENGTH = 2_048;

// Secret, because a URL that was rejected may contain a user name and a password. The schema of responses has its own field.
const Url = Secret(
  Type.String({
    minLength: 1,
    maxLength: MAX_URL_LENGTH,
    description:
      'An absolute https URL on a public host, without credentials or a fragment. In development, http and this machine are also allowed.',
  }),
);
const Events = Type.Array(Words(EVENT_KEYS), {
  minItems: 1,
  maxItems: EVENT_KEYS.length,
  uniqueItems: true,
  examples: [['email.delivered', 'email.bounced']],
  description: 'The event keys to deliver, without duplicates.',
});

const CREATED_AT = '2026-11-20T15:04:05.123Z';
const ANSWERED_AT = '2026-11-20T15:04:05.307Z';
const URL_EXAMPLE = 'https://hooks.acme.example/mail';

export const CreateWebhook = Type.Object(
  { url: Url, events: Events },
  {
    $id: 'CreateWebhook',
    additionalProperties: false,
    examples: [{ url: URL_EXAMPLE, events: ['email.delivered', 'email.bounced'] }],
  },
);
export type CreateWebhook = Type.Static<typeof CreateWebhook>;

export const UpdateWebhook = Type.Object(
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    enabled: Type.Optional(
      Type.Boolean({
        description:
          'false disables the webhook and marks pending deliveries as failed. true enables it again, for new events only.',
      }),
    ),
  },
  {
    $id: 'UpdateWebhook',
    additionalProperties: false,
    description: 'Omitted fields stay unchanged.',
    examples: [{ enabled: false }],
  },
);
export type UpdateWebhook = Type.Static<typeof UpdateWebhook>;

export const webhookFields = {
  id: Id('wh'),
  url: Type.String({ description: 'As provided.' }),
  events: Type.Array(Words(EVENT_KEYS), { description: 'As provided.' }),
  enabled: Type.Boolean(),
  disabled_reason: Nullable(
    Words(['failing'], {
      description: 'Set if the service disabled the webhook. failing: no delivery succeeded for five days.',
    }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  last_success_at: Nullable(Timestamp),
  last_failure_at: Nullable(Timestamp),
};
const webhookExample = {
  id: EXAMPLE_IDS.wh,
  url: URL_EXAMPLE,
  events: ['email.delivered', 'email.bounced'],
  enabled: true,
  disabled_reason: null,
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
  last_success_at: ANSWERED_AT,
  last_failure_at: null,
};

export const Webhook = Type.Object(webhookFields, { $id: 'Webhook', examples: [webhookExample] });
export type Webhook = Type.Static<typeof Webhook>;

export const CreatedWebhook = Type.Object(
  {
    ...webhookFields,
    secret: Secret(
      Type.String({
        pattern: '^whsec_[A-Za-z0-9+/]{64}$',
        description: 'The secret that signs deliveries. Returned only here.',
      }),
    ),
  },
  {
    $id: 'CreatedWebhook',
    examples: [
      {
        ...webhookExample,
        last_success_at: null,
        secret: 'whsec_EXAMPLExEXAMPLExEXAMPLExEXAMPLExEXAMPLExEXAMPLExEXAMPLExEXAMPLEx',
      },
    ],
  },
);
export type CreatedWebhook = Type.Static<typeof CreatedWebhook>;

export const deliveryFields = {
  id: Id('dlv'),
  event_id: Id('evt'),
  email_id: Nullable(Id('em')),
  type: Words([...EVENT_KEYS, TEST_EVENT]),
  status: Words(['pending', 'delivered', 'failed']),
  attempts: Type.Integer({ minimum: 0, description: 'The number of attempts made.' }),
  max_attempts: Type.Integer({ minimum: 1 }),
  http_status: Nullable(
    Type.Integer({ description: 'The HTTP status of the last attempt. Null if there was no response.' }),
  ),
  error: Nullable(
    Type.String({ description: 'Why there was no response, or why there are no more attempts.' }),
  ),
  duration_ms: Nullable(Type.Integer({ minimum: 0, description: 'The duration of the last attempt.' })),
  request_body: Type.String({ description: 'At most 4 KB.' }),
  response_body: Type.String({ description: 'The response to the last attempt. At most 4 KB.' }),
  truncated: Type.Boolean({
    description: 'Whether at least one of the two bodies was longer and is truncated.',
  }),
  created_at: Timestamp,
  last_attempt_at: Nullable(Timestamp),
  next_attempt_at: Nullable(Timestamp),
  delivered_at: Nullable(Timestamp),
};

const deliveryExample = {
  id: EXAMPLE_IDS.dlv,
  event_id: EXAMPLE_IDS.evt,
  email_id: null,
  type: TEST_EVENT,
  status: 'delivered',
  attempts: 1,
  max_attempts: 1,
  http_status: 200,
  error: null,
  duration_ms: 184,
  request_body: `{"id":"${EXAMPLE_IDS.evt}","type":"${TEST_EVENT}","created_at":"${CREATED_AT}","data":{"webhook_id":"${EXAMPLE_IDS.wh}"}}`,
  response_body: 'ok',
  truncated: false,
  created_at: CREATED_AT,
  last_attempt_at: CREATED_AT,
  next_attempt_at: null,
  delivered_at: ANSWERED_AT,
};

export const WebhookDelivery = Type.Object(deliveryFields, {
  $id: 'WebhookDelivery',
  examples: [deliveryExample],
});
export type WebhookDelivery = Type.Static<typeof WebhookDelivery>;

export const WebhookDetail = Type.Object(
  {
    ...webhookFields,
    deliveries: Type.Array(Ref(WebhookDelivery), { description: 'The last 20, newest first.' }),
  },
  {
    $id: 'WebhookDetail',
    examples: [{ ...webhookExample, deliveries: [deliveryExample] }],
  },
);
export type WebhookDetail = Type.Static<typeof WebhookDetail>;

export const WebhookList = Type.Object(
  { data: Type.Array(Ref(Webhook), { description: 'Oldest first.' }) },
  { $id: 'WebhookList', examples: [{ data: [webhookExample] }] },
);
export type WebhookList = Type.Static<typeof WebhookList>;

export const WebhookTest = Type.Object(
  {
    http_status: Nullable(Type.Integer({ description: 'Null if there was no response.' })),
    success: Type.Boolean({ description: 'Whether the receiver responded with a 2xx status in time.' }),
    delivery_id: Id('dlv'),
  },
  { $id: 'WebhookTest', examples: [{ http_status: 200, success: true, delivery_id: EXAMPLE_IDS.dlv }] },
);
export type WebhookTest = Type.Static<typeof WebhookTest>;
