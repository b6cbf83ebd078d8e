/** What webhooks deliver (docs/contract.md, Events). The OpenAPI document describes requests and answers only, so this is written by hand. */

interface Delivery<Type extends string, Data> {
  /** The same at every attempt and for every webhook: process an id once. */
  id: string;
  type: Type;
  /** ISO 8601, UTC. */
  created_at: string;
  data: Data;
}

interface EmailEventData<Status extends string, Payload> {
  email_id: string;
  /** The stage of this event; the email itself may be further. */
  status: Status;
  from: string;
  /** Whom the event concerns. */
  to: string[];
  subject: string;
  /** Null until it is known. */
  provider_message_id: string | null;
  tags: string[];
  event_payload: Payload;
}

type EmailDelivery<Status extends string, Payload> = Delivery<
  `email.${Status}`,
  EmailEventData<Status, Payload>
>;

export interface DeliveredPayload {
  recipient: string;
  remote_mta: string | null;
  smtp_code: number | null;
  response: string | null;
  /** Whether the recipient's server took it over TLS. */
  tls: boolean | null;
}

export type BounceCategory =
  | 'unknown_user'
  | 'mailbox_full'
  | 'message_too_large'
  | 'content'
  | 'policy'
  | 'reputation'
  | 'auth'
  | 'dns'
  | 'network'
  | 'expired'
  | 'suppressed'
  | 'other';

export interface BouncedPayload {
  recipient: string;
  /** Hard: for good. Soft: retries are used up. */
  type: 'hard' | 'soft';
  category: BounceCategory;
  smtp_code: number | null;
  /** RFC 3463, such as `5.1.1`. */
  enhanced_code: string | null;
  diagnostic: string | null;
  remote_mta: string | null;
  /** Whether the recipient is on the project's suppression list from now on. */
  suppressed: boolean;
  /** What told: the reply of the server, or a message that came back. */
  source: 'smtp' | 'dsn';
}

export interface ComplainedPayload {
  recipient: string;
  feedback_type: string | null;
  reporting_mta: string | null;
}

export interface FailedPayload {
  /** Null where the failure concerns the whole email. */
  recipient: string | null;
  /** Such as `rejected` or `suppressed`. */
  reason: string;
  detail: string | null;
}

export interface OpenedPayload {
  recipient: string;
  ip: string | null;
  user_agent: string | null;
  /** A proxy or a scanner, and no person. */
  is_machine: boolean | null;
}

export interface ClickedPayload extends OpenedPayload {
  url: string | null;
}

export type EmailQueuedEvent = EmailDelivery<'queued', null>;
export type EmailSendingEvent = EmailDelivery<'sending', null>;
export type EmailSentEvent = EmailDelivery<'sent', null>;
export type EmailDeliveredEvent = EmailDelivery<'delivered', DeliveredPayload>;
export type EmailBouncedEvent = EmailDelivery<'bounced', BouncedPayload>;
export type EmailComplainedEvent = EmailDelivery<'complained', ComplainedPayload>;
export type EmailFailedEvent = EmailDelivery<'failed', FailedPayload>;
export type EmailOpenedEvent = EmailDelivery<'opened', OpenedPayload>;
export type EmailClickedEvent = EmailDelivery<'clicked', ClickedPayload>;
/** What `posthorn.webhooks.test(id)` sends. */
export type WebhookTestEvent = Delivery<'webhook.test', { webhook_id: string }>;

/** `event.type` says which one it is. */
export type WebhookEvent =
  | EmailQueuedEvent
  | EmailSendingEvent
  | EmailSentEvent
  | EmailDeliveredEvent
  | EmailBouncedEvent
  | EmailComplainedEvent
  | EmailFailedEvent
  | EmailOpenedEvent
  | EmailClickedEvent
  | WebhookTestEvent;
