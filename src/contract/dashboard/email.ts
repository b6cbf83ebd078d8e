/** One email as the dashboard shows it (docs/emails.md). */
import { type Static, Type } from 'typebox';
import { DEFERRALS } from '../../model/deferral.ts';
import { EVENT_KEYS } from '../../model/event-keys.ts';
import { STREAMS } from '../../model/streams.ts';
import { MAX_LISTED_ADDRESSES, SendEmail } from '../emails.ts';
import { EmailEvent, EmailStatus } from '../events.ts';
import { Id, Nullable, Ref, Timestamp, Words } from '../schema.ts';
import { Suppression } from '../suppressions.ts';

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
  { $id: 'InspectedDelivery', description: 'A delivery of an event to a webhook.' },
);

export const InspectedEvent = Type.Object(
  { event: Ref(EmailEvent), deliveries: Type.Array(Ref(InspectedDelivery)) },
  { $id: 'InspectedEvent' },
);

export const InspectedRecipient = Type.Object(
  {
    address: Type.String({
      description: 'The envelope address. `erased@erased.invalid` if the person was erased.',
    }),
    is_erased: Type.Boolean({
      description: 'Whether the person was erased. The events of erased recipients cannot be told apart.',
    }),
    field: Words(['to', 'cc', 'bcc']),
    status: Ref(EmailStatus),
    attempts: Type.Integer({
      description: 'The number of completed attempts; 0 once the recipient is done.',
    }),
    next_attempt_at: Nullable(
      Type.Unsafe<string>({
        ...Timestamp,
        description:
          'The time of the next attempt. Null if the recipient waits for a destination, or if no mail is sent at all.',
      }),
    ),
    waits_for: Nullable(
      Type.String({
        description:
          'A destination that accepts no mail at the moment. The destination is retried with a message to another recipient.',
      }),
    ),
    is_paused: Type.Boolean({
      description:
        'Whether an operator paused the destination, so that no attempts are made until it is resumed.',
    }),
    deferral: Nullable(
      Words(DEFERRALS, {
        description:
          'Why the last attempt was deferred, as far as the reply of the server says. `no_answer`: no server replied to the message. Null: the recipient does not wait for a retry.',
      }),
    ),
    was_relayed: Type.Boolean({
      description:
        "Whether the last attempt that was deferred, or that bounced after all retries, was made at a server in transit, such as a smart host, and not at the recipient's own server.",
    }),
    is_in_doubt: Type.Boolean({
      description:
        'Whether any attempt ended after the message was sent and before a server replied, so that the message may have been accepted.',
    }),
    can_try_now: Type.Boolean({ description: 'Whether the next attempt can be made now instead.' }),
    is_abandoned: Type.Boolean({
      description: 'Whether the recipient failed with the reason `internal` and has not been retried since.',
    }),
    can_retry: Type.Boolean({
      description: 'Whether the recipient is abandoned, and the bodies of the email are still stored.',
    }),
    suppression: Type.Union([Ref(Suppression), Type.Null()], {
      description: 'The entry of the address on the suppression list of the project.',
    }),
    other_provider: Nullable(
      Words(['sandbox', 'real'], {
        description:
          'The kind of provider that the email was accepted for, if the installation now has the other kind. The email waits until an operator releases or withdraws it.',
      }),
    ),
    is_done: Type.Boolean({ description: 'Whether no more attempts are made.' }),
  },
  { $id: 'InspectedRecipient' },
);

export const InspectedEmail = Type.Object(
  {
    id: Id('em'),
    status: Ref(EmailStatus),
    created_at: Timestamp,
    scheduled_at: Nullable(Timestamp),
    can_retry: Type.Boolean({ description: 'Whether a recipient can be retried.' }),
    sending_stopped: Nullable(
      Words(['paused', 'no_provider'], {
        description:
          'Why the installation sends no mail at all. `paused`: an operator paused sending, or a backup was restored. `no_provider`: no process has a provider of the right kind.',
      }),
    ),
    from: Type.String(),
    to: Type.Array(Type.String(), { maxItems: MAX_LISTED_ADDRESSES }),
    cc: Type.Array(Type.String()),
    bcc: Type.Array(Type.String()),
    reply_to: Nullable(Type.String()),
    subject: Type.String(),
    tags: Type.Array(Type.String()),
    stream: Words(STREAMS),
    domain_id: Nullable(
      Type.Unsafe<string>({
        ...Id('dom'),
        description: "The domain of the sender's address. Null if the project does not have it.",
      }),
    ),
    message_id: Type.String(),
    content: Words(['kept', 'deleted', 'hidden'], {
      description: 'Whether its bodies can be shown. `hidden`: this user may not see them.',
    }),
    bodies_deleted_at: Nullable(Timestamp),
    files: Type.Array(
      Type.Object({
        name: Type.String(),
        type: Type.String(),
        octets: Type.Integer({ description: 'The approximate size.' }),
        warning: Nullable(Type.String({ description: 'Why opening the file is risky.' })),
      }),
      {
        description:
          'The files of an email that was submitted over SMTP, at most 100. Empty if this user may not see its bodies, or they were deleted.',
      },
    ),
    removed_fields: Type.Array(Type.String(), {
      description:
        'The names of header fields for other sending services, which were removed from an email that was submitted over SMTP.',
    }),
    tracking: Type.Object({ opens: Type.Boolean(), clicks: Type.Boolean(), unsubscribe: Type.Boolean() }),
    is_done: Type.Boolean({
      description: 'Whether no recipient has an attempt left. Opens, clicks and complaints may still follow.',
    }),
    recipients: Type.Array(Ref(InspectedRecipient)),
    events: Type.Array(Ref(InspectedEvent), {
      description:
        'The timeline, oldest first: the first and the last 500 events, and the last outcome of each recipient. The newest five attempts of each recipient include their SMTP dialogues.',
    }),
    events_left_out: Type.Integer(),
  },
  { $id: 'InspectedEmail' },
);
export type InspectedEmail = Type.Static<typeof InspectedEmail>;

const CheckResult = Words(['pass', 'note', 'warning', 'problem']);

export const EmailContent = Type.Object(
  {
    html: Nullable(Type.String({ description: 'As provided; null if none was.' })),
    text: Type.String({ description: 'The text part as sent.' }),
    text_is_made: Type.Boolean({ description: 'Whether the text part was generated from the HTML.' }),
    headers: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Extra headers, as provided.',
    }),
    source: Nullable(
      Type.Object({
        text: Type.String({ description: 'The first 256 KB of the message.' }),
        octets: Type.Integer({ description: 'The size of the whole message.' }),
        is_cut: Type.Boolean(),
        is_rebuilt: Type.Boolean({
          description:
            'The message was composed for this response, as for each attempt, and signed with the current keys.',
        }),
      }),
    ),
    header_fields: Type.Array(
      Type.Object({ name: Type.String(), value: Type.String(), meaning: Nullable(Type.String()) }),
      { description: 'The headers of the message as sent, in order.' },
    ),
    signatures: Type.Array(
      Type.Object({
        domain: Type.String(),
        selector: Type.String(),
        algorithm: Type.String(),
        is_aligned: Type.Boolean({
          description: "Whether the domain of the signature matches the sender's domain, as DMARC requires.",
        }),
      }),
    ),
    links: Type.Array(
      Type.Object({
        url: Type.String(),
        text: Type.String(),
        problem: Nullable(Type.String()),
        is_unsubscribe: Type.Boolean({
          description:
            "Whether the URL is the placeholder that is replaced with each recipient's own unsubscribe link. Clicks on the link are not counted.",
        }),
        clicks: Type.Integer({ description: 'Clicks by people.' }),
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
      { description: 'Broken links come first.' },
    ),
    spam: Nullable(
      Type.Object({
        score: Type.Number(),
        junk_from: Type.Number({
          description:
            'The score from which a mailbox of this service files mail as spam at the level `medium`.',
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

export const EmailFileQuery = Type.Object(
  { at: Type.String({ pattern: '^[0-9]{1,3}$', description: 'The index of the file in `files`.' }) },
  { additionalProperties: false },
);

export const PreviewQuery = Type.Object(
  {
    remote: Type.Optional(Words(['0', '1'], { description: '1: load images from other hosts.' })),
    theme: Type.Optional(Words(['light', 'dark'])),
  },
  { additionalProperties: false },
);

export const SendAgain = Type.Object(
  {
    key: Type.String({
      pattern: '^[A-Za-z0-9_-]{8,64}$',
      description: 'Generated by the page. Requests with the same key within 24 hours send only once.',
    }),
  },
  { $id: 'SendAgain', additionalProperties: false },
);

const { attachments: _, ...composed } = SendEmail.properties;

export const ComposeEmail = Type.Object(
  { ...composed, key: SendAgain.properties.key },
  { $id: 'ComposeEmail', additionalProperties: false, description: 'Like SendEmail of the API.' },
);
export type ComposeEmail = Static<typeof ComposeEmail>;

export const SentAgain = Type.Object(
  { id: Id('em'), created_at: Timestamp },
  { $id: 'SentAgain', description: 'The new email.' },
);
