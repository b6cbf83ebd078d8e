/**
 * Email events: the entries of an email's timeline (docs/contract.md, Timeline) and the bodies that webhooks deliver (docs/contract.md,
 * Delivery payload). All code that creates, stores, sends or reads events takes the fields from this file.
 */
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { BOUNCE_CATEGORIES } from '../model/bounce.ts';
import { EMAIL_STAGES, type EmailStage, type TimelineType } from '../model/email-status.ts';
import { type EventKey, TEST_EVENT } from '../model/event-keys.ts';
import { EXAMPLE_IDS, Id, Nullable, Ref, Timestamp, Words } from './schema.ts';

const Recipient = Type.String();
const MaybeText = Nullable(Type.String());
const SmtpCode = Nullable(Type.Integer());
const EnhancedCode = Nullable(Type.String({ description: 'RFC 3463, such as `5.1.1`.' }));

export const EmailStatus = Words(EMAIL_STAGES, { $id: 'EmailStatus' });
const BounceCategory = Words(BOUNCE_CATEGORIES, { $id: 'BounceCategory' });

const DeliveredPayload = Type.Object(
  {
    recipient: Recipient,
    remote_mta: MaybeText,
    smtp_code: SmtpCode,
    response: MaybeText,
    tls: Nullable(Type.Boolean({ description: "Whether the recipient's server received it over TLS." })),
  },
  { $id: 'DeliveredPayload' },
);

const BouncedPayload = Type.Object(
  {
    recipient: Recipient,
    type: Words(['hard', 'soft'], { description: 'hard: permanent. soft: retries are used up.' }),
    category: Ref(BounceCategory),
    smtp_code: SmtpCode,
    enhanced_code: EnhancedCode,
    diagnostic: MaybeText,
    remote_mta: MaybeText,
    suppressed: Type.Boolean({
      description: "Whether this event put the recipient on the project's suppression list.",
    }),
    source: Words(['smtp', 'dsn'], {
      description: "The source of the bounce: the server's SMTP reply, or a bounce message (DSN).",
    }),
  },
  { $id: 'BouncedPayload' },
);

const ComplainedPayload = Type.Object(
  { recipient: Recipient, feedback_type: MaybeText, reporting_mta: MaybeText },
  { $id: 'ComplainedPayload' },
);

const FailedPayload = Type.Object(
  {
    recipient: Nullable(Type.String({ description: 'Null if the whole email failed.' })),
    reason: Type.String({
      description: 'The reason, such as `rejected`, `suppressed`, `domain_not_verified` or `cancelled`.',
    }),
    detail: MaybeText,
  },
  { $id: 'FailedPayload' },
);

const visit = {
  ip: MaybeText,
  user_agent: MaybeText,
  is_machine: Nullable(
    Type.Boolean({ description: 'Whether a proxy or scanner caused the event, not a person.' }),
  ),
};
const OpenedPayload = Type.Object({ recipient: Recipient, ...visit }, { $id: 'OpenedPayload' });
const ClickedPayload = Type.Object(
  { recipient: Recipient, url: MaybeText, ...visit },
  { $id: 'ClickedPayload' },
);

const DialogueLine = Type.Object(
  {
    at_ms: Type.Integer({ description: 'Milliseconds since the start of the attempt.' }),
    by: Words(['client', 'server', 'note'], {
      description: 'The speaker. `note` describes something that happened besides the dialogue.',
    }),
    text: Type.String(),
  },
  { $id: 'DialogueLine', description: 'A line of an SMTP dialogue, for display.' },
);
export type DialogueLine = Static<typeof DialogueLine>;
const Dialogue = Type.Optional(
  Type.Array(Ref(DialogueLine), { description: 'The lines of the SMTP dialogue, in order.' }),
);

const Note = Type.Optional(
  Type.String({ description: 'Why the message was sent to this server, if that needs an explanation.' }),
);

const reply = {
  smtp_code: SmtpCode,
  enhanced_code: EnhancedCode,
  response: MaybeText,
  remote_mta: MaybeText,
  note: Note,
  dialogue: Dialogue,
};
/** The reply from the receiving server. */
export type ServerReply = Static<typeof ServerReply>;
const ServerReply = Type.Object({ ...reply, tls: Type.Boolean() }, { $id: 'ServerReply' });

const SentDetail = Type.Intersect([Ref(ServerReply), Type.Object({ provider_message_id: MaybeText })], {
  $id: 'SentDetail',
});
const DeliveredDetail = Type.Intersect(
  [
    Ref(DeliveredPayload),
    Type.Object({ enhanced_code: Type.Optional(EnhancedCode), note: Note, dialogue: Dialogue }),
  ],
  { $id: 'DeliveredDetail' },
);
const BouncedDetail = Type.Intersect([Ref(BouncedPayload), Type.Object({ note: Note, dialogue: Dialogue })], {
  $id: 'BouncedDetail',
});
const FailedDetail = Type.Intersect(
  [
    Ref(FailedPayload),
    Type.Partial(Type.Object(ServerReply.properties), { description: 'Present if a server replied.' }),
  ],
  { $id: 'FailedDetail' },
);
const DeferredDetail = Type.Object(
  {
    ...reply,
    tls: Type.Optional(Type.Boolean()),
    attempt: Type.Optional(
      Type.Integer({ description: 'The number of the deferred attempt, starting at 1.' }),
    ),
    next_attempt_at: Type.Optional(Timestamp),
    source: Type.Optional(
      Words(['dsn'], { description: 'The delay was reported by another server, which made the attempt.' }),
    ),
  },
  { $id: 'DeferredDetail' },
);

/** The schema of `detail` for each type of event. A `detail` has all members of the event's `event_payload`, and may have more. */
const DETAILS = {
  queued: Type.Null(),
  sending: Type.Null(),
  sent: Ref(SentDetail),
  delivered: Ref(DeliveredDetail),
  opened: Ref(OpenedPayload),
  clicked: Ref(ClickedPayload),
  failed: Ref(FailedDetail),
  bounced: Ref(BouncedDetail),
  complained: Ref(ComplainedPayload),
  deferred: Ref(DeferredDetail),
} satisfies Readonly<Record<TimelineType, TSchema>>;

export type EventDetail<T extends TimelineType> = Static<(typeof DETAILS)[T]>;

/** An event of an email, with its details. */
export type EventFact<T extends TimelineType = TimelineType> = {
  [Each in T]: { type: Each; detail: EventDetail<Each> };
}[T];

/** The reply of a receiving server in examples. */
const acceptedExample = {
  smtp_code: 250,
  response: '250 2.0.0 OK queued as 4bK2xY',
  remote_mta: 'mx.example.org',
  tls: true,
} as const;
const recipientExample = 'customer@example.org';

/** The timeline of an email that was sent but not delivered yet. */
export const TIMELINE_EXAMPLE = [
  {
    id: EXAMPLE_IDS.evt,
    type: 'queued',
    created_at: '2026-11-20T15:04:05.123Z',
    recipient: null,
    detail: null,
  },
  {
    id: 'evt_01KAGK5RCC2W7Q9N4B6T1X5Z8D',
    type: 'sending',
    created_at: '2026-11-20T15:04:05.164Z',
    recipient: recipientExample,
    detail: null,
  },
  {
    id: 'evt_01KAGK5RQ74M8S2V6J9C3F7H1K',
    type: 'sent',
    created_at: '2026-11-20T15:04:05.511Z',
    recipient: recipientExample,
    detail: {
      ...acceptedExample,
      enhanced_code: '2.0.0',
      provider_message_id: '<01kagk5rb3e2yq4t7n9pz6wx8v@acme.example>',
    },
  },
] as const;

/** An entry of the timeline. */
export const EmailEvent = Type.Intersect(
  [
    Type.Object({
      id: Id('evt'),
      created_at: Timestamp,
      recipient: Nullable(Type.String({ description: 'Null if the event concerns the whole email.' })),
    }),
    Type.Unsafe<EventFact>({
      anyOf: Object.entries(DETAILS).map(([type, detail]) =>
        Type.Object({ type: Type.Literal(type), detail }),
      ),
    }),
  ],
  {
    $id: 'EmailEvent',
    description:
      'An entry of the timeline: a stage of the email, or `deferred`, when the receiving server requested a later retry.',
    examples: [
      {
        id: 'evt_01KAGK5RV3R5T9W2Y6B8D1G4JM',
        type: 'delivered',
        created_at: '2026-11-20T15:04:05.635Z',
        recipient: recipientExample,
        detail: { recipient: recipientExample, ...acceptedExample, enhanced_code: '2.0.0' },
      },
    ],
  },
);
export type EmailEvent = Static<typeof EmailEvent>;

/** The schema of `event_payload` for each type of event, with its members in order. Null for an event without a payload. */
export const EVENT_PAYLOADS = {
  queued: null,
  sending: null,
  sent: null,
  delivered: DeliveredPayload,
  opened: OpenedPayload,
  clicked: ClickedPayload,
  failed: FailedPayload,
  bounced: BouncedPayload,
  complained: ComplainedPayload,
} satisfies Readonly<Record<EmailStage, TObject | null>>;

const SUMMARIES: Readonly<Record<EmailStage, string>> = {
  queued: 'The email was accepted and is waiting for the worker.',
  sending: 'The email is being handed to the outbound provider.',
  sent: 'The provider accepted the message.',
  delivered: "The recipient's server accepted the message.",
  opened: 'The tracking pixel was loaded. Requires open tracking.',
  clicked: 'A link was clicked. Requires click tracking.',
  failed: 'Sending failed before or at the provider.',
  bounced: "The recipient's server permanently rejected the message, or retries are used up.",
  complained: "The recipient marked the message as spam, and the recipient's provider reported it.",
};

export type EmailEventData = Static<typeof EmailEventData>;
const EmailEventData = Type.Object(
  {
    email_id: Id('em'),
    status: Ref(EmailStatus, 'The stage of this event. The email itself may be at a later stage.'),
    from: Type.String(),
    to: Type.Array(Type.String(), { description: 'The recipients that the event concerns.' }),
    subject: Type.String(),
    provider_message_id: Nullable(Type.String({ description: 'Null until it is known.' })),
    tags: Type.Array(Type.String()),
  },
  { $id: 'EmailEventData' },
);

export type TestEventData = Static<typeof TestEventData>;
const TestEventData = Type.Object({ webhook_id: Id('wh') });

/** In the examples, an email is sent to two people. It is delivered to the first and not to the second. */
const [READER, LOST] = ['ada@example.org', 'bob@example.net'] as const;
const VISIT_EXAMPLE = {
  ip: '203.0.113.7',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  is_machine: false,
};

/** An example of each event of an email. The second recipient is suppressed in one example, and does not exist in another. */
const EVENT_EXAMPLES: {
  [Stage in EmailStage]: {
    id: string;
    created_at: string;
    to: readonly string[];
    event_payload: (typeof EVENT_PAYLOADS)[Stage] extends TSchema
      ? Static<(typeof EVENT_PAYLOADS)[Stage]>
      : null;
  };
} = {
  queued: {
    id: 'evt_01M7WQRWR3E3W8P66JSQN2YX86',
    created_at: '2026-11-20T15:04:05.123Z',
    to: [READER, LOST],
    event_payload: null,
  },
  sending: {
    id: 'evt_01M7WQRWSCFAVRYCCAK9HKXN01',
    created_at: '2026-11-20T15:04:05.164Z',
    to: [READER, LOST],
    event_payload: null,
  },
  sent: {
    id: 'evt_01M7WQRX47FE3830Q06304JCRZ',
    created_at: '2026-11-20T15:04:05.511Z',
    to: [READER, LOST],
    event_payload: null,
  },
  delivered: {
    id: 'evt_01M7WQRX83FXRR313ZBZZ0TKZX',
    created_at: '2026-11-20T15:04:05.635Z',
    to: [READER],
    event_payload: {
      recipient: READER,
      remote_mta: 'mx.example.org',
      smtp_code: 250,
      response: '250 2.0.0 OK queued as 4bK2xY',
      tls: true,
    },
  },
  bounced: {
    id: 'evt_01M7WQRXMEF688S83JV3SXZVVD',
    created_at: '2026-11-20T15:04:06.030Z',
    to: [LOST],
    event_payload: {
      recipient: LOST,
      type: 'hard',
      category: 'unknown_user',
      smtp_code: 550,
      enhanced_code: '5.1.1',
      diagnostic: '550 5.1.1 no such user',
      remote_mta: 'mx.example.net',
      suppressed: true,
      source: 'smtp',
    },
  },
  complained: {
    id: 'evt_01M7WYMM03FS08PHJVC4YFJC1R',
    created_at: '2026-11-20T17:04:05.123Z',
    to: [READER],
    event_payload: { recipient: READER, feedback_type: 'abuse', reporting_mta: 'mx.example.org' },
  },
  failed: {
    id: 'evt_01M7WQRXC3E1C8QMFDXAWMJN0Y',
    created_at: '2026-11-20T15:04:05.763Z',
    to: [LOST],
    event_payload: {
      recipient: LOST,
      reason: 'suppressed',
      detail: 'the address is on the suppression list of the project',
    },
  },
  opened: {
    id: 'evt_01M7WS6NK3FJARXDDGK5YYZ6RF',
    created_at: '2026-11-20T15:29:05.123Z',
    to: [READER],
    event_payload: { recipient: READER, ...VISIT_EXAMPLE },
  },
  clicked: {
    id: 'evt_01M7WS71A3FGDRC0C1VPHG566G',
    created_at: '2026-11-20T15:29:17.123Z',
    to: [READER],
    event_payload: { recipient: READER, url: 'https://acme.example/orders/1042', ...VISIT_EXAMPLE },
  },
};

function dataExample(status: EmailStage) {
  const { to, event_payload: payload } = EVENT_EXAMPLES[status];
  const isSent = !['queued', 'sending', 'failed'].includes(status);
  return {
    email_id: 'em_01M7WQRWR3FT88EJTWQR7AEGEM',
    status,
    from: 'Acme <orders@acme.example>',
    to,
    subject: 'Your order has shipped',
    provider_message_id: isSent ? '<01a1f97c-7303-7e90-874b-5cbe0ea741d4@acme.example>' : null,
    tags: ['order'],
    event_payload: payload,
  };
}

/** The body of a delivery for each event key, and the body for the test operation. */
export const WEBHOOK_BODIES = [
  ...EMAIL_STAGES.map((stage) => {
    const payload = EVENT_PAYLOADS[stage];
    const own = Type.Object({
      status: Type.Literal(stage),
      event_payload: payload === null ? Type.Null() : Ref(payload),
    });
    const name = `Email${stage.charAt(0).toUpperCase()}${stage.slice(1)}Event`;
    const { id, created_at } = EVENT_EXAMPLES[stage];
    return webhookBody(name, SUMMARIES[stage], Type.Intersect([Ref(EmailEventData), own]), {
      id,
      type: `email.${stage}` as const,
      created_at,
      data: dataExample(stage),
    });
  }),
  webhookBody('WebhookTestEvent', 'Sent by the test operation.', TestEventData, {
    id: 'evt_01M7WQRWR3FQ1R4FWY6JT1B1EG',
    type: TEST_EVENT,
    created_at: '2026-11-20T15:04:05.123Z',
    data: { webhook_id: 'wh_01M7T5C5R3ED1R4CWSVK7YRETV' },
  }),
];

interface BodyExample {
  id: string;
  type: EventKey | typeof TEST_EVENT;
  created_at: string;
  data: object;
}

function webhookBody(name: string, description: string, data: TSchema, example: BodyExample) {
  const { type } = example;
  const id = Type.String({
    ...Id('evt'),
    description: 'The same for every attempt and every webhook. Process each id once.',
  });
  const schema = Type.Object(
    { id, type: Type.Literal(type), created_at: Timestamp, data },
    { $id: name, description, examples: [example] },
  );
  return { type, name, description, schema };
}

export type WebhookBody = Static<(typeof WEBHOOK_BODIES)[number]['schema']>;

/** The schemas of events in the OpenAPI document. */
export const EVENT_COMPONENTS: readonly TSchema[] = [
  DialogueLine,
  EmailStatus,
  BounceCategory,
  ServerReply,
  SentDetail,
  DeliveredDetail,
  BouncedDetail,
  FailedDetail,
  DeferredDetail,
  EmailEvent,
  DeliveredPayload,
  BouncedPayload,
  ComplainedPayload,
  FailedPayload,
  OpenedPayload,
  ClickedPayload,
  EmailEventData,
  ...WEBHOOK_BODIES.map(({ schema }) => schema),
];
