/**
 * The body of a delivery (docs/contract.md, Delivery payload; `docs/webhooks.md`). The body depends only on rows that no longer change,
 * so it is the same at every attempt and for every webhook. Only the signature differs.
 */
import type { EmailEventData, EventFact, TestEventData, WebhookBody } from '../contract/events.ts';
import { PAYLOAD_MEMBERS } from '../contract/payload-members.ts';
import type { EmailStage } from '../model/email-status.ts';
import { type EventKey, TEST_EVENT } from '../model/event-keys.ts';
import { encodeId, timeOf } from '../model/ids.ts';

/** An event (not `deferred`), with the facts about the email that its body contains. Ids are uuids. */
export type PayloadSource = EventFact<EmailStage> & {
  eventId: string;
  /** The address of the recipient. Null if the event concerns the whole email. */
  recipient: string | null;
  emailId: string;
  /** The From address as the sender of the email wrote it. The addresses in `toList` are also as the sender wrote them. */
  sender: string;
  toList: string[];
  subject: string;
  tags: string[];
  /** The provider's ID of the message, if it was known when the event happened. */
  providerMessageId: string | null;
};

/** The body for an event of an email, as JSON. */
export function emailPayload(source: PayloadSource): string {
  const data: EmailEventData & { event_payload: object | null } = {
    email_id: encodeId('em', source.emailId),
    status: source.type,
    from: source.sender,
    to: source.recipient === null ? source.toList : [source.recipient],
    subject: source.subject,
    provider_message_id: source.providerMessageId,
    tags: source.tags,
    event_payload: eventPayload(source),
  };
  return body(source.eventId, `email.${source.type}`, data);
}

/** The body that the test operation sends (docs/contract.md, testWebhook), as JSON. */
export function testPayload({ eventId, webhookId }: { eventId: string; webhookId: string }): string {
  const data: TestEventData = { webhook_id: encodeId('wh', webhookId) };
  return body(eventId, TEST_EVENT, data);
}

function body(eventId: string, type: EventKey | typeof TEST_EVENT, data: object): string {
  const whole: WebhookBody = {
    id: encodeId('evt', eventId),
    type,
    created_at: timeOf(eventId).toISOString(),
    data,
  };
  return JSON.stringify(whole);
}

/**
 * The members that the schema lists, in the order of the schema. A missing member is null, because rows from earlier versions may lack it.
 */
function eventPayload({ type, recipient, detail }: PayloadSource): object | null {
  const members = PAYLOAD_MEMBERS[type];
  if (members === null) return null;
  const known = new Map<string, unknown>(Object.entries({ recipient, ...detail }));
  return Object.fromEntries(members.map((name) => [name, known.get(name) ?? null]));
}
