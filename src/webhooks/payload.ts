/**
 * The body of a delivery (docs/contract.md, Delivery payload; `docs/webhooks.md`). It is a function of stored rows that no longer
 * change, and so the same at every attempt and for every webhook; only the signature is made anew.
 */
import type { EventKey } from '../model/event-keys.ts';
import { TEST_EVENT } from '../model/event-keys.ts';
import { encodeId, timeOf } from '../model/ids.ts';

/** An event with what its payload says of its email. Identifiers are uuids. */
export interface PayloadSource {
  eventId: string;
  type: EventKey;
  /** Null where the event concerns the whole email. */
  recipient: string | null;
  /** As the timeline has it. */
  detail: Record<string, unknown> | null;
  emailId: string;
  /** As given by the sender of the email, like `toList`. */
  sender: string;
  toList: readonly string[];
  subject: string;
  tags: readonly string[];
  /** What was known when the event happened. */
  providerMessageId: string | null;
}

/** Of each event the members of `event_payload`, in order. What a detail does not have is null. */
const PAYLOAD_MEMBERS: Readonly<Record<EventKey, readonly string[] | null>> = {
  'email.queued': null,
  'email.sending': null,
  'email.sent': null,
  'email.delivered': ['recipient', 'remote_mta', 'smtp_code', 'response', 'tls'],
  'email.opened': ['recipient', 'ip', 'user_agent', 'is_machine'],
  'email.clicked': ['recipient', 'url', 'ip', 'user_agent', 'is_machine'],
  'email.failed': ['recipient', 'reason', 'detail'],
  'email.bounced': [
    'recipient',
    'type',
    'category',
    'smtp_code',
    'enhanced_code',
    'diagnostic',
    'remote_mta',
    'suppressed',
    'source',
  ],
  'email.complained': ['recipient', 'feedback_type', 'reporting_mta'],
};

/** The body for an event of an email, as JSON. */
export function emailPayload(source: PayloadSource): string {
  return payload(source.eventId, source.type, {
    email_id: encodeId('em', source.emailId),
    status: source.type.slice('email.'.length),
    from: source.sender,
    to: source.recipient === null ? source.toList : [source.recipient],
    subject: source.subject,
    provider_message_id: source.providerMessageId,
    tags: source.tags,
    event_payload: eventPayload(source),
  });
}

/** The body that the test operation sends (docs/contract.md, testWebhook), as JSON. */
export function testPayload({ eventId, webhookId }: { eventId: string; webhookId: string }): string {
  return payload(eventId, TEST_EVENT, { webhook_id: encodeId('wh', webhookId) });
}

function payload(eventId: string, type: string, data: Record<string, unknown>): string {
  return JSON.stringify({
    id: encodeId('evt', eventId),
    type,
    created_at: timeOf(eventId).toISOString(),
    data,
  });
}

function eventPayload({ type, recipient, detail }: PayloadSource): Record<string, unknown> | null {
  const members = PAYLOAD_MEMBERS[type];
  if (members === null) return null;
  const known: Record<string, unknown> = { recipient, ...detail };
  return Object.fromEntries(members.map((member) => [member, known[member] ?? null]));
}
