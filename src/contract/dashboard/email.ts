/** One email as the dashboard shows it (docs/emails.md). */
import { type Static, Type } from 'typebox';
import { EVENT_KEYS } from '../../model/event-keys.ts';
import { STREAMS } from '../../model/streams.ts';
import { MAX_LISTED_ADDRESSES, SendEmail } from '../emails.ts';
import { EmailEvent, EmailStatus } from '../events.ts';
import { Id, Nullable, Ref, Timestamp, Words } from '../schema.ts';

export const InspectedDelivery = Type.Object(
  {
    id: Id('dlv'),
    webhook_id: Id('wh'),
    url: Type.String(),
    type: Words(EVENT_KEYS),
    status: Words(['pending', 'delivered', 'failed']),
    attempts: Type.Integer(),
    max_attempts: Type.Integer(),
    http_status: Nullable(Type.Integer()),
    error: Nullable(Type.String()),
    last_attempt_at: Nullable(Timestamp),
    next_attempt_at: Nullable(Timestamp),
  },
  { $id: 'InspectedDelivery', description: 'What a webhook was told of an event.' },
);

export const InspectedEvent = Type.Object(
  { event: Ref(EmailEvent), deliveries: Type.Array(Ref(InspectedDelivery)) },
  { $id: 'InspectedEvent' },
);

export const InspectedRecipient = Type.Object(
  {
    address: Type.String({
      description: 'In the envelope. `erased@erased.invalid` where the person was erased.',
    }),
    field: Words(['to', 'cc', 'bcc']),
    status: Ref(EmailStatus),
    attempts: Type.Integer({ description: 'How many are over while work is left; 0 once it is done.' }),
    next_attempt_at: Nullable(Timestamp),
    waits_for: Nullable(
      Type.String({
        description:
          'A destination that takes nothing at the moment; it is asked with a message for somebody else.',
      }),
    ),
    other_provider: Nullable(
      Words(['sandbox', 'real'], {
        description:
          'The kind of provider that it was accepted for, where the installation has the other one now. It waits until an operator releases or withdraws it.',
      }),
    ),
    is_done: Type.Boolean({ description: 'No further attempt is made.' }),
  },
  { $id: 'InspectedRecipient' },
);

export const InspectedEmail = Type.Object(
  {
    id: Id('em'),
    status: Ref(EmailStatus),
    created_at: Timestamp,
    scheduled_at: Nullable(Timestamp),
    can_retry: Type.Boolean({ description: 'A recipient failed with reason internal.' }),
    from: Type.String(),
    to: Type.Array(Type.String(), { maxItems: MAX_LISTED_ADDRESSES }),
    cc: Type.Array(Type.String()),
    bcc: Type.Array(Type.String()),
    reply_to: Nullable(Type.String()),
    subject: Type.String(),
    tags: Type.Array(Type.String()),
    stream: Words(STREAMS),
    message_id: Type.String(),
    content: Words(['kept', 'deleted', 'hidden'], {
      description: 'Whether its bodies can be shown. `hidden`: not to this user.',
    }),
    bodies_deleted_at: Nullable(Timestamp),
    tracking: Type.Object({ opens: Type.Boolean(), clicks: Type.Boolean(), unsubscribe: Type.Boolean() }),
    is_done: Type.Boolean({
      description: 'No recipient has an attempt left. Opens, clicks and complaints may still come.',
    }),
    recipients: Type.Array(Ref(InspectedRecipient)),
    events: Type.Array(Ref(InspectedEvent), {
      description:
        'The timeline, oldest first: the first and the last 500 events. The newest five attempts of each recipient have their dialogues.',
    }),
    events_left_out: Type.Integer(),
  },
  { $id: 'InspectedEmail' },
);
export type InspectedEmail = Type.Static<typeof InspectedEmail>;

const CheckResult = Words(['pass', 'note', 'warning', 'problem']);

export const EmailContent = Type.Object(
  {
    html: Nullable(Type.String({ description: 'As given; null when none was.' })),
    text: Type.String({ description: 'The text part as it goes out.' }),
    text_is_made: Type.Boolean({ description: 'It was made from the HTML.' }),
    headers: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Extra header fields as given.',
    }),
    source: Nullable(
      Type.Object({
        text: Type.String({ description: 'The first 256 KB of the message.' }),
        octets: Type.Integer({ description: 'Of the whole message.' }),
        is_cut: Type.Boolean(),
        is_rebuilt: Type.Boolean({
          description:
            'It was composed just now, as each attempt composes it, and signed with the keys of today.',
        }),
      }),
    ),
    header_fields: Type.Array(
      Type.Object({ name: Type.String(), value: Type.String(), meaning: Nullable(Type.String()) }),
      { description: 'Of the message as it goes out, in their order.' },
    ),
    signatures: Type.Array(
      Type.Object({
        domain: Type.String(),
        selector: Type.String(),
        algorithm: Type.String(),
        is_aligned: Type.Boolean({ description: 'It is the domain of the sender, as DMARC asks.' }),
      }),
    ),
    links: Type.Array(
      Type.Object({
        url: Type.String(),
        text: Type.String(),
        problem: Nullable(Type.String()),
        clicks: Type.Integer({ description: 'By people.' }),
        machine_clicks: Type.Integer(),
      }),
    ),
    checks: Type.Array(
      Type.Object({
        name: Type.String(),
        result: CheckResult,
        title: Type.String(),
        advice: Nullable(Type.String()),
        items: Type.Array(Type.String()),
      }),
      { description: 'What does not work comes first.' },
    ),
    spam: Nullable(
      Type.Object({
        score: Type.Number(),
        junk_from: Type.Number({
          description: 'From this score on a mailbox here puts mail into Junk, at the level `medium`.',
        }),
        reasons: Type.Array(
          Type.Object({ rule: Type.String(), weight: Type.Number(), meaning: Type.String() }),
        ),
      }),
    ),
  },
  { $id: 'EmailContent' },
);
export type EmailContent = Type.Static<typeof EmailContent>;

export const PreviewQuery = Type.Object(
  {
    remote: Type.Optional(Words(['0', '1'], { description: '1: images of other hosts are loaded.' })),
    theme: Type.Optional(Words(['light', 'dark'])),
  },
  { additionalProperties: false },
);

export const SendAgain = Type.Object(
  {
    key: Type.String({
      pattern: '^[A-Za-z0-9_-]{8,64}$',
      description: 'Made by the page. The same key sends once, however often it arrives within 24 hours.',
    }),
  },
  { $id: 'SendAgain', additionalProperties: false },
);

const { attachments: _, ...composed } = SendEmail.properties;

export const ComposeEmail = Type.Object(
  { ...composed, key: SendAgain.properties.key },
  { $id: 'ComposeEmail', additionalProperties: false, description: 'As SendEmail of the API.' },
);
export type ComposeEmail = Static<typeof ComposeEmail>;

export const SentAgain = Type.Object(
  { id: Id('em'), created_at: Timestamp },
  { $id: 'SentAgain', description: 'The new email.' },
);
