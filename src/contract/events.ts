/**
 * Email events: the entries of an email's timeline (docs/contract.md, Timeline) and the bodies that webhooks deliver (docs/contract.md,
 * Delivery payload). All code that creates, stores, sends or reads events takes the fields from this file.
 */
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { BOUNCE_CATEGORIES } from '../model/bounce.ts';
import { EMAIL_STAGES, type EmailStage, type TimelineType } from '../model/email-status.ts';
import { type EventKey, TEST_EVENT } from '../model/event-keys.ts';
import { Id, Nullable, Ref, Timestamp, Words } from './schema.ts';

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

/** The body of a delivery for each event key, and the body for the test operation. */
export const WEBHOOK_BODIES = [
  ...EMAIL_STAGES.map((stage) => {
    const payload = EVENT_PAYLOADS[stage];
    const own = Type.Object({
      status: Type.Literal(stage),
      event_payload: payload === null ? Type.Null() : Ref(payload),
    });
    const name = `Email${stage.charAt(0).toUpperCase()}${stage.slice(1)}Event`;
    return webhookBody(`email.${stage}`, name, SUMMARIES[stage], Type.Intersect([Ref(EmailEventData), own]));
  }),
  webhookBody(TEST_EVENT, 'WebhookTestEvent', 'Sent by the test operation.', TestEventData),
];

function webhookBody(type: EventKey | typeof TEST_EVENT, name: string, description: string, data: TSchema) {
  const id = Type.String({
    ...Id('evt'),
    description: 'The same for every attempt and every webhook. Process each id once.',
  });
  const schema = Type.Object(
    { id, type: Type.Literal(type), created_at: Timestamp, data },
    { $id: name, description },
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
