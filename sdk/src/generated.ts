/** Made by `npm run -s generate -w sdk` from the OpenAPI document of contract version 0.3.0. Do not edit. */
import type { Call, CallOptions, SendOptions } from './request.ts';
import { iterate } from './iterate.ts';

export interface EmailDetail {
  id: string;
  status: EmailStatus;
  /** As provided; empty if none was. */
  subject: string;
  /** As provided. */
  from: string;
  /** As provided. */
  to: string[];
  created_at: string;
  /** Addition to the contract. The scheduled time of sending. Null: sent immediately. */
  scheduled_at: string | null;
  /** As provided; empty if none was, or if it was deleted. */
  html: string;
  /** As provided; empty if none was, or if it was deleted. */
  text: string;
  /** Addition to the contract. When html and text were deleted; null while they are stored. */
  bodies_deleted_at: string | null;
  /** Addition to the contract. */
  stream: 'transactional' | 'bulk';
  /**
   * Addition to the contract. The template that subject, html and text were rendered from; null if they
   * were provided.
   */
  template_id: string | null;
  /** Addition to the contract. As provided. */
  cc: string[];
  /** Addition to the contract. As provided. */
  bcc: string[];
  /** Addition to the contract. As provided; null if none was. */
  reply_to: string | null;
  /** Addition to the contract. As provided. */
  headers: Record<string, string>;
  /** Addition to the contract. As provided. */
  tags: string[];
  /**
   * Addition to the contract. The Message-ID of the message, the same in every copy. Amazon SES replaces
   * it with its own.
   */
  message_id: string;
  /** The timeline, oldest first. */
  events: EmailEvent[];
}

export interface EmailList {
  /** Newest first. */
  data: EmailSummary[];
  /** The cursor of the next page; null on the last one. */
  next_cursor: string | null;
}

export interface EmailSummary {
  id: string;
  status: EmailStatus;
  /** As provided; empty if none was. */
  subject: string;
  /** As provided. */
  from: string;
  /** As provided. */
  to: string[];
  created_at: string;
  /** Addition to the contract. The scheduled time of sending. Null: sent immediately. */
  scheduled_at: string | null;
}

/** Addition to the contract. */
export interface QueuedBatch {
  /** In the order of the request. */
  data: QueuedEmail[];
}

export interface QueuedEmail {
  id: string;
  status: 'queued';
  created_at: string;
}

/** Addition to the contract. */
export interface SendBatch {
  /** Each is a body of sendEmail. At most 6 MB in total. */
  emails: SendEmail[];
}

export type SendEmail = {
  /** addr@domain or Name <addr@domain>, on a verified domain of the project or on the hosted domain. */
  from: string;
  /** Recipients: at most 50 in to, cc and bcc together. Duplicates count once and get one copy. */
  to: string[];
  /** Further recipients, visible in the message: at most 50 in to, cc and bcc together. */
  cc?: string[] | undefined;
  /** Hidden recipients, not visible in the message: at most 50 in to, cc and bcc together. */
  bcc?: string[] | undefined;
  reply_to?: string | undefined;
  subject?: string | undefined;
  /**
   * At least one of html and text is required, unless template_id is set. An empty string counts as
   * absent. At most 2 MB.
   */
  html?: string | undefined;
  /**
   * At least one of html and text is required, unless template_id is set. An empty string counts as
   * absent. At most 2 MB.
   */
  text?: string | undefined;
  /**
   * Addition to the contract. A template of the project, used instead of subject, html and text. It is
   * rendered with variables when the email is accepted.
   */
  template_id?: string | undefined;
  /**
   * Addition to the contract. The values of the template's variables, by name: text, numbers, lists and
   * objects. The error for a missing variable names it.
   */
  variables?: Record<string, unknown> | undefined;
  /**
   * Extra headers, name to value. Headers that the service sets itself, and headers that control mail
   * relays, are rejected.
   */
  headers?: Record<string, string> | undefined;
  tags?: string[] | undefined;
  /**
   * Addition to the contract. transactional (the default): mail that its recipient is waiting for. bulk:
   * mail to many recipients. The streams of a project are sent in turn, so neither waits behind a
   * backlog of the other.
   */
  stream?: 'transactional' | 'bulk' | undefined;
  /**
   * Addition to the contract. The time to send the email, up to 30 days ahead. Until then it is queued
   * and can be cancelled with cancelEmail. A time in the past is rejected, except that a time within the
   * last five minutes means now.
   */
  scheduled_at?: string | undefined;
  /** Not supported here: attachments belong to mailbox compose. Omit this field. */
  attachments?: undefined;
} & ({ html: string } | { text: string } | { template_id: string });

export interface CreateDomain {
  /**
   * A domain name such as acme.example, not a public suffix. An internationalised name is returned as
   * A-labels.
   */
  domain: string;
  /** Stored and returned as provided. */
  region?: string | undefined;
}

export interface Domain {
  id: string;
  /** In lower case; an internationalised name as A-labels. */
  domain: string;
  region: string | null;
  /** Whether this is the hosted domain, which every project can use. */
  is_hosted: boolean;
  /**
   * You can send from a domain in verified or warning. warning: the domain has lost required DNS
   * records, and becomes pending after 72 hours. failed: the domain was pending for too long, and is now
   * checked only when you request verification.
   */
  status: 'pending' | 'verified' | 'failed' | 'warning';
  /**
   * Addition to the contract. Present and true if the operator marked the domain as verified without
   * DNS, for testing. Never in production.
   */
  verified_by_hand?: boolean | undefined;
  spf_verified: boolean;
  dkim_verified: boolean;
  mail_from_verified: boolean;
  /** DMARC is recommended, but not required for verification. */
  dmarc_verified: boolean;
  /** The DNS records to publish. */
  records: DomainRecord[];
  created_at: string;
  verified_at: string | null;
  last_checked_at: string | null;
}

export interface DomainList {
  /** The hosted domain first, then the oldest. */
  data: Domain[];
}

export interface DomainRecord {
  /**
   * The purpose of the record. CLIENT, an addition to the contract, lets mail apps find the servers;
   * such records are listed once the domain has a mailbox or an alias.
   */
  record: 'DKIM' | 'SPF' | 'MAIL_FROM' | 'DMARC' | 'MX' | 'CLIENT';
  type: 'TXT' | 'MX' | 'SRV' | 'CNAME';
  /** The full name at which to publish the record. */
  name: string;
  /** The name relative to the domain; @ is the domain itself. */
  host: string;
  /** For an SRV record: weight, port and target. A target of . means that the service is not offered. */
  value: string;
  /** The suggested TTL, in seconds. */
  ttl: number;
  /** The priority of an MX or SRV record. */
  priority: number | null;
  /** Whether the domain needs this record to be verified. */
  required: boolean;
  /** pending: not checked yet. temporary_failure: the DNS query failed, and the flags are unchanged. */
  status: 'pending' | 'verified' | 'failed' | 'temporary_failure';
  /** The values found in DNS at the last check. */
  found: string[];
  /** What to fix. */
  error: string | null;
  /**
   * Addition to the contract. Present on the DKIM record of a key that does not sign, while keys are
   * being rotated. next: publish it beside the other record; its key starts signing once the record is
   * found. retiring: its key has just stopped signing; keep the record until keep_until.
   */
  rotation?: 'next' | 'retiring' | undefined;
  keep_until?: string | undefined;
}

export interface CreateMailbox {
  /** A domain of the project, or the hosted domain. */
  domain_id: string;
  /**
   * The part before the @. At most 64 bytes, without quotes and without +, which starts a tag: mail to
   * name+tag is delivered to name.
   */
  local_part: string;
  /** The display name of the sender, on a single line. */
  display_name?: string | undefined;
  /** The password of the mailbox. At most 1024 bytes. If omitted, one is generated and returned. */
  password?: string | undefined;
  /** In megabytes. */
  quota_mb?: number | undefined;
  /** The number of emails that the mailbox can send per day. Null: no limit of its own. */
  daily_send_limit?: number | null | undefined;
  /**
   * Whether the mailbox receives mail to unknown addresses of its domain. A domain can have one such
   * mailbox; the hosted domain can have none.
   */
  is_catch_all?: boolean | undefined;
  /** If omitted, the project's level applies. */
  spam_level?: 'off' | 'low' | 'medium' | 'high' | undefined;
  /** The address to which replies to the mailbox's mail are sent. */
  reply_to?: string | undefined;
  /** The signature added to messages written in the web client. At most 64 KB. */
  signature_html?: string | undefined;
}

export interface CreatedMailbox {
  id: string;
  domain_id: string;
  /** local_part@domain */
  address: string;
  /** As provided. */
  local_part: string;
  /** In lower case; an internationalised name as A-labels. */
  domain: string;
  display_name: string | null;
  is_catch_all: boolean;
  /** In megabytes. */
  quota_mb: number;
  /** Null: no limit of its own. */
  daily_send_limit: number | null;
  /** Null: the project's default applies. */
  spam_level: 'off' | 'low' | 'medium' | 'high' | null;
  /** Whether the mailbox has a password to sign in with. */
  has_password: boolean;
  /** The number of unread messages in the inbox. */
  unread: number;
  created_at: string;
  /** Present only if it was generated. It is never returned again. */
  password?: string | undefined;
}

export interface Mailbox {
  id: string;
  domain_id: string;
  /** local_part@domain */
  address: string;
  /** As provided. */
  local_part: string;
  /** In lower case; an internationalised name as A-labels. */
  domain: string;
  display_name: string | null;
  is_catch_all: boolean;
  /** In megabytes. */
  quota_mb: number;
  /** Null: no limit of its own. */
  daily_send_limit: number | null;
  /** Null: the project's default applies. */
  spam_level: 'off' | 'low' | 'medium' | 'high' | null;
  /** Whether the mailbox has a password to sign in with. */
  has_password: boolean;
  /** The number of unread messages in the inbox. */
  unread: number;
  created_at: string;
}

export interface MailboxList {
  /** Oldest first. */
  data: Mailbox[];
}

/** Omitted fields stay unchanged. */
export interface UpdateMailbox {
  /** The display name of the sender, on a single line. */
  display_name?: string | undefined;
  /**
   * Whether the mailbox receives mail to unknown addresses of its domain. A domain can have one such
   * mailbox; the hosted domain can have none.
   */
  is_catch_all?: boolean | undefined;
  /** The signature added to messages written in the web client. At most 64 KB. */
  signature_html?: string | undefined;
  /** The address to which replies to the mailbox's mail are sent. Empty: no address. */
  reply_to?: string | undefined;
  /** Null: the project's default applies. */
  spam_level?: 'off' | 'low' | 'medium' | 'high' | null | undefined;
  /** In megabytes. */
  quota_mb?: number | undefined;
  /** The number of emails that the mailbox can send per day. Null: no limit of its own. */
  daily_send_limit?: number | null | undefined;
}

/** Addition to the contract. */
export interface Alias {
  id: string;
  domain_id: string;
  /** local_part@domain */
  address: string;
  /** As provided. */
  local_part: string;
  /** In lower case; an internationalised name as A-labels. */
  domain: string;
  /** Oldest first. A deleted mailbox is removed from the list; deleting the last one deletes the alias. */
  mailbox_ids: string[];
  created_at: string;
}

/** Addition to the contract. */
export interface AliasList {
  /** Oldest first. */
  data: Alias[];
}

/** Addition to the contract. */
export interface CreateAlias {
  /** A domain of the project, or the hosted domain. */
  domain_id: string;
  /**
   * The part before the @, with the same rules as for mailboxes: mail to name+tag is delivered to name.
   * Must be unique among the mailboxes and aliases of the domain.
   */
  local_part: string;
  /**
   * The mailboxes of the project that receive mail for the alias and can send from it. Duplicates count
   * once.
   */
  mailbox_ids: string[];
}

/** Addition to the contract. The list replaces the previous one. */
export interface UpdateAlias {
  /**
   * The mailboxes of the project that receive mail for the alias and can send from it. Duplicates count
   * once.
   */
  mailbox_ids?: string[] | undefined;
}

export interface CreateWebhook {
  /**
   * An absolute https URL on a public host, without credentials or a fragment. In development, http and
   * this machine are allowed too.
   */
  url: string;
  /** The event keys to deliver, without duplicates. */
  events: (
    | 'email.queued'
    | 'email.sending'
    | 'email.sent'
    | 'email.delivered'
    | 'email.opened'
    | 'email.clicked'
    | 'email.failed'
    | 'email.bounced'
    | 'email.complained'
  )[];
}

export interface CreatedWebhook {
  id: string;
  /** As provided. */
  url: string;
  /** As provided. */
  events: (
    | 'email.queued'
    | 'email.sending'
    | 'email.sent'
    | 'email.delivered'
    | 'email.opened'
    | 'email.clicked'
    | 'email.failed'
    | 'email.bounced'
    | 'email.complained'
  )[];
  enabled: boolean;
  /** Set if the service disabled the webhook. failing: no delivery succeeded for five days. */
  disabled_reason: 'failing' | null;
  created_at: string;
  updated_at: string;
  last_success_at: string | null;
  last_failure_at: string | null;
  /** The secret that signs deliveries. Returned only here. */
  secret: string;
}

/** Omitted fields stay unchanged. */
export interface UpdateWebhook {
  /**
   * An absolute https URL on a public host, without credentials or a fragment. In development, http and
   * this machine are allowed too.
   */
  url?: string | undefined;
  /** The event keys to deliver, without duplicates. */
  events?:
    | (
        | 'email.queued'
        | 'email.sending'
        | 'email.sent'
        | 'email.delivered'
        | 'email.opened'
        | 'email.clicked'
        | 'email.failed'
        | 'email.bounced'
        | 'email.complained'
      )[]
    | undefined;
  /**
   * false disables the webhook and marks pending deliveries as failed. true enables it again, for new
   * events only.
   */
  enabled?: boolean | undefined;
}

export interface Webhook {
  id: string;
  /** As provided. */
  url: string;
  /** As provided. */
  events: (
    | 'email.queued'
    | 'email.sending'
    | 'email.sent'
    | 'email.delivered'
    | 'email.opened'
    | 'email.clicked'
    | 'email.failed'
    | 'email.bounced'
    | 'email.complained'
  )[];
  enabled: boolean;
  /** Set if the service disabled the webhook. failing: no delivery succeeded for five days. */
  disabled_reason: 'failing' | null;
  created_at: string;
  updated_at: string;
  last_success_at: string | null;
  last_failure_at: string | null;
}

export interface WebhookDelivery {
  id: string;
  event_id: string;
  email_id: string | null;
  type:
    | 'email.queued'
    | 'email.sending'
    | 'email.sent'
    | 'email.delivered'
    | 'email.opened'
    | 'email.clicked'
    | 'email.failed'
    | 'email.bounced'
    | 'email.complained'
    | 'webhook.test';
  status: 'pending' | 'delivered' | 'failed';
  /** The number of attempts made. */
  attempts: number;
  max_attempts: number;
  /** The HTTP status of the last attempt. Null if there was no response. */
  http_status: number | null;
  /** Why there was no response, or why there are no more attempts. */
  error: string | null;
  /** The duration of the last attempt. */
  duration_ms: number | null;
  /** At most 4 KB. */
  request_body: string;
  /** The response to the last attempt. At most 4 KB. */
  response_body: string;
  /** Whether one of the two bodies was longer. */
  truncated: boolean;
  created_at: string;
  last_attempt_at: string | null;
  next_attempt_at: string | null;
  delivered_at: string | null;
}

export interface WebhookDetail {
  id: string;
  /** As provided. */
  url: string;
  /** As provided. */
  events: (
    | 'email.queued'
    | 'email.sending'
    | 'email.sent'
    | 'email.delivered'
    | 'email.opened'
    | 'email.clicked'
    | 'email.failed'
    | 'email.bounced'
    | 'email.complained'
  )[];
  enabled: boolean;
  /** Set if the service disabled the webhook. failing: no delivery succeeded for five days. */
  disabled_reason: 'failing' | null;
  created_at: string;
  updated_at: string;
  last_success_at: string | null;
  last_failure_at: string | null;
  /** The last 20, newest first. */
  deliveries: WebhookDelivery[];
}

export interface WebhookList {
  /** Oldest first. */
  data: Webhook[];
}

export interface WebhookTest {
  /** Null if there was no response. */
  http_status: number | null;
  /** Whether the receiver responded with a 2xx status in time. */
  success: boolean;
  delivery_id: string;
}

/** A line of an SMTP dialogue, for display. */
export interface DialogueLine {
  /** Milliseconds since the start of the attempt. */
  at_ms: number;
  /** The speaker. `note` describes something that happened besides the dialogue. */
  by: 'client' | 'server' | 'note';
  text: string;
}

export type EmailStatus =
  | 'queued'
  | 'sending'
  | 'sent'
  | 'delivered'
  | 'opened'
  | 'clicked'
  | 'failed'
  | 'bounced'
  | 'complained';

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

export interface ServerReply {
  smtp_code: number | null;
  /** RFC 3463, such as `5.1.1`. */
  enhanced_code: string | null;
  response: string | null;
  remote_mta: string | null;
  /** Why the message was sent to this server, if that needs an explanation. */
  note?: string | undefined;
  /** The lines of the SMTP dialogue, in order. */
  dialogue?: DialogueLine[] | undefined;
  tls: boolean;
}

export type SentDetail = ServerReply & { provider_message_id: string | null };

export type DeliveredDetail = DeliveredPayload & {
  /** RFC 3463, such as `5.1.1`. */
  enhanced_code?: string | null | undefined;
  /** Why the message was sent to this server, if that needs an explanation. */
  note?: string | undefined;
  /** The lines of the SMTP dialogue, in order. */
  dialogue?: DialogueLine[] | undefined;
};

export type BouncedDetail = BouncedPayload & {
  /** Why the message was sent to this server, if that needs an explanation. */
  note?: string | undefined;
  /** The lines of the SMTP dialogue, in order. */
  dialogue?: DialogueLine[] | undefined;
};

export type FailedDetail = FailedPayload & {
  smtp_code?: number | null | undefined;
  /** RFC 3463, such as `5.1.1`. */
  enhanced_code?: string | null | undefined;
  response?: string | null | undefined;
  remote_mta?: string | null | undefined;
  /** Why the message was sent to this server, if that needs an explanation. */
  note?: string | undefined;
  /** The lines of the SMTP dialogue, in order. */
  dialogue?: DialogueLine[] | undefined;
  tls?: boolean | undefined;
};

export interface DeferredDetail {
  smtp_code: number | null;
  /** RFC 3463, such as `5.1.1`. */
  enhanced_code: string | null;
  response: string | null;
  remote_mta: string | null;
  /** Why the message was sent to this server, if that needs an explanation. */
  note?: string | undefined;
  /** The lines of the SMTP dialogue, in order. */
  dialogue?: DialogueLine[] | undefined;
  tls?: boolean | undefined;
  /** The number of the deferred attempt, starting at 1. */
  attempt?: number | undefined;
  next_attempt_at?: string | undefined;
  /** The delay was reported by another server: the attempt is not ours. */
  source?: 'dsn' | undefined;
}

/**
 * An entry of the timeline: a stage of the email, or `deferred`, when the receiving server asked to
 * retry later.
 */
export type EmailEvent = {
  id: string;
  created_at: string;
  /** Null if the event concerns the whole email. */
  recipient: string | null;
} & (
  | { type: 'queued'; detail: null }
  | { type: 'sending'; detail: null }
  | { type: 'sent'; detail: SentDetail }
  | { type: 'delivered'; detail: DeliveredDetail }
  | { type: 'opened'; detail: OpenedPayload }
  | { type: 'clicked'; detail: ClickedPayload }
  | { type: 'failed'; detail: FailedDetail }
  | { type: 'bounced'; detail: BouncedDetail }
  | { type: 'complained'; detail: ComplainedPayload }
  | { type: 'deferred'; detail: DeferredDetail }
);

export interface DeliveredPayload {
  recipient: string;
  remote_mta: string | null;
  smtp_code: number | null;
  response: string | null;
  /** Whether the recipient's server received it over TLS. */
  tls: boolean | null;
}

export interface BouncedPayload {
  recipient: string;
  /** hard: permanent. soft: retries are used up. */
  type: 'hard' | 'soft';
  category: BounceCategory;
  smtp_code: number | null;
  /** RFC 3463, such as `5.1.1`. */
  enhanced_code: string | null;
  diagnostic: string | null;
  remote_mta: string | null;
  /** Whether this event put the recipient on the project's suppression list. */
  suppressed: boolean;
  /** The source of the bounce: the server's SMTP reply, or a bounce message (DSN). */
  source: 'smtp' | 'dsn';
}

export interface ComplainedPayload {
  recipient: string;
  feedback_type: string | null;
  reporting_mta: string | null;
}

export interface FailedPayload {
  /** Null if the whole email failed. */
  recipient: string | null;
  /** Such as `rejected`, `suppressed`, `domain_not_verified` or `cancelled`. */
  reason: string;
  detail: string | null;
}

export interface OpenedPayload {
  recipient: string;
  ip: string | null;
  user_agent: string | null;
  /** Whether a proxy or scanner caused the event, not a person. */
  is_machine: boolean | null;
}

export interface ClickedPayload {
  recipient: string;
  url: string | null;
  ip: string | null;
  user_agent: string | null;
  /** Whether a proxy or scanner caused the event, not a person. */
  is_machine: boolean | null;
}

export interface EmailEventData {
  email_id: string;
  /** The stage of this event. The email itself may be at a later stage. */
  status: EmailStatus;
  from: string;
  /** The recipients that the event concerns. */
  to: string[];
  subject: string;
  /** Null until it is known. */
  provider_message_id: string | null;
  tags: string[];
}

/** The email was accepted and is waiting for the worker. */
export interface EmailQueuedEvent {
  /** The same for every attempt and every webhook. Process each id once. */
  id: string;
  type: 'email.queued';
  created_at: string;
  data: EmailEventData & { status: 'queued'; event_payload: null };
}

/** The email is being handed to the outbound provider. */
export interface EmailSendingEvent {
  /** The same for every attempt and every webhook. Process each id once. */
  id: string;
  type: 'email.sending';
  created_at: string;
  data: EmailEventData & { status: 'sending'; event_payload: null };
}

/** The provider accepted the message. */
export interface EmailSentEvent {
  /** The same for every attempt and every webhook. Process each id once. */
  id: string;
  type: 'email.sent';
  created_at: string;
  data: EmailEventData & { status: 'sent'; event_payload: null };
}

/** The recipient's server accepted the message. */
export interface EmailDeliveredEvent {
  /** The same for every attempt and every webhook. Process each id once. */
  id: string;
  type: 'email.delivered';
  created_at: string;
  data: EmailEventData & { status: 'delivered'; event_payload: DeliveredPayload };
}

/** The tracking pixel was loaded. Requires open tracking. */
export interface EmailOpenedEvent {
  /** The same for every attempt and every webhook. Process each id once. */
  id: string;
  type: 'email.opened';
  created_at: string;
  data: EmailEventData & { status: 'opened'; event_payload: OpenedPayload };
}

/** A link was clicked. Requires click tracking. */
export interface EmailClickedEvent {
  /** The same for every attempt and every webhook. Process each id once. */
  id: string;
  type: 'email.clicked';
  created_at: string;
  data: EmailEventData & { status: 'clicked'; event_payload: ClickedPayload };
}

/** Sending failed before or at the provider. */
export interface EmailFailedEvent {
  /** The same for every attempt and every webhook. Process each id once. */
  id: string;
  type: 'email.failed';
  created_at: string;
  data: EmailEventData & { status: 'failed'; event_payload: FailedPayload };
}

/** The recipient's server permanently rejected the message, or retries are used up. */
export interface EmailBouncedEvent {
  /** The same for every attempt and every webhook. Process each id once. */
  id: string;
  type: 'email.bounced';
  created_at: string;
  data: EmailEventData & { status: 'bounced'; event_payload: BouncedPayload };
}

/** The recipient marked the message as spam, and the recipient's provider reported it. */
export interface EmailComplainedEvent {
  /** The same for every attempt and every webhook. Process each id once. */
  id: string;
  type: 'email.complained';
  created_at: string;
  data: EmailEventData & { status: 'complained'; event_payload: ComplainedPayload };
}

/** Sent by the test operation. */
export interface WebhookTestEvent {
  /** The same for every attempt and every webhook. Process each id once. */
  id: string;
  type: 'webhook.test';
  created_at: string;
  data: { webhook_id: string };
}

export interface Template {
  id: string;
  name: string;
  /** A Liquid template. */
  subject: string;
  /** A Liquid template; empty if there is none. */
  html: string;
  /** A Liquid template; empty if there is none. */
  text: string;
  /**
   * The variables of the subject, html and text, without duplicates, in order of first appearance. A
   * dotted name such as order.id is one variable; loop variables are not listed.
   */
  variables: string[];
  created_at: string;
  updated_at: string;
}

export interface TemplateList {
  /** Sorted by name. */
  data: Template[];
}

export interface CreatePerson {
  /** A single line. */
  name: string;
  /** A bare email address, local@domain. Must be unique among the people added manually to this project. */
  email: string;
  title?: string | undefined;
  organization?: string | undefined;
  notes?: string | undefined;
}

export interface DirectoryList {
  /** The people of this project and those shared with it, sorted by name. */
  people: Person[];
  /**
   * Shares are created in the dashboard or on the command line, between two projects of one
   * organisation.
   */
  shares: {
    /** Directories shared with this project, oldest first. */
    inbound: Share[];
    /** Projects that can see the directory of this one, oldest first. */
    outbound: Share[];
  };
}

export interface Person {
  id: string;
  name: string;
  /** As provided. */
  email: string;
  title: string | null;
  organization: string | null;
  notes: string | null;
  /**
   * manual: added to this project manually. mailbox: synced from a mailbox of this project, and cannot
   * be removed here. shared: belongs to another project that shares its directory with this one.
   */
  source: 'manual' | 'mailbox' | 'shared';
  /** The project that the person belongs to. If source is shared, it is another project. */
  project_id: string;
  created_at: string;
}

export interface Share {
  id: string;
  /**
   * The other project: the one that shares its directory (inbound), or the one that can see it
   * (outbound).
   */
  project_id: string;
  /** The name of that project. */
  project_name: string;
  /**
   * The number of people shared. People that other projects share with the sharing project are not
   * included.
   */
  people_count: number;
  created_at: string;
}

/** Addition to the contract. */
export interface AddSuppressions {
  /** If one of them is invalid, none is added. */
  addresses: string[];
  /**
   * Absent: manual. manual: added manually. unsubscribe: the recipient unsubscribed. bounce: the
   * recipient's server reports that the mailbox does not exist. complaint: the recipient marked an email
   * as spam.
   */
  reason?: 'manual' | 'unsubscribe' | 'bounce' | 'complaint' | undefined;
  /** When the suppression expires. Absent: never. */
  expires_at?: string | undefined;
}

/** Addition to the contract. */
export interface AddedSuppressions {
  /**
   * The current entry for each address, without duplicates. An existing entry may have a stronger
   * reason.
   */
  data: Suppression[];
  /** The number of addresses that are new on the list. */
  added: number;
}

/** Addition to the contract. */
export interface Suppression {
  /** The normalised address. Case is ignored. */
  address: string;
  /**
   * manual: added manually. unsubscribe: the recipient unsubscribed. bounce: the recipient's server
   * reports that the mailbox does not exist. complaint: the recipient marked an email as spam.
   */
  reason: 'manual' | 'unsubscribe' | 'bounce' | 'complaint';
  /** The email that caused it, which may have been deleted since. Null: added manually. */
  email_id: string | null;
  /** Details: `diagnostic` is the reply of the server. */
  detail: Record<string, unknown> | null;
  created_at: string;
  /** Null: it does not expire. */
  expires_at: string | null;
}

/** Addition to the contract. A page of the list. */
export interface SuppressionList {
  /** Newest first. */
  data: Suppression[];
  /** The cursor of the next page; null on the last one. */
  next_cursor: string | null;
}

/** The body of every error (RFC 9457). */
export interface Problem {
  /** The type of the error. It is stable: use it to handle errors in code. */
  type:
    | '/errors/bad-request'
    | '/errors/malformed-json'
    | '/errors/unsupported-media-type'
    | '/errors/hosted-domain-protected'
    | '/errors/synced-member-protected'
    | '/errors/domain-in-use'
    | '/errors/missing-api-key'
    | '/errors/invalid-api-key'
    | '/errors/missing-scope'
    | '/errors/not-found'
    | '/errors/method-not-allowed'
    | '/errors/payload-too-large'
    | '/errors/validation-failed'
    | '/errors/domain-not-verified'
    | '/errors/idempotency-key-reused'
    | '/errors/already-exists'
    | '/errors/plan-limit-exceeded'
    | '/errors/rate-limited'
    | '/errors/quota-exceeded'
    | '/errors/internal'
    | '/errors/unavailable';
  /** A short summary of the error type, always the same for a type. */
  title: string;
  status: number;
  /** A readable explanation of what is wrong with this request. */
  detail?: string | undefined;
  /** The request id, also in X-Request-Id. */
  instance: string;
  /** Present on every 422: what is wrong with each invalid field of the request, by field name. */
  errors?: Record<string, string> | undefined;
  /** The scope required, for `missing-scope`. */
  required_scope?:
    | 'emails:send'
    | 'emails:read'
    | 'domains:read'
    | 'domains:write'
    | 'mailboxes:read'
    | 'mailboxes:write'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'templates:read'
    | 'directory:read'
    | 'directory:write'
    | 'suppressions:read'
    | 'suppressions:write'
    | undefined;
}

/** What a webhook delivers: `event.type` says which one it is. */
export type WebhookEvent =
  | EmailQueuedEvent
  | EmailSendingEvent
  | EmailSentEvent
  | EmailDeliveredEvent
  | EmailOpenedEvent
  | EmailClickedEvent
  | EmailFailedEvent
  | EmailBouncedEvent
  | EmailComplainedEvent
  | WebhookTestEvent;

export interface ListEmailsQuery {
  /** The number of emails per page. */
  limit?: number | undefined;
  /** The next_cursor of the previous page. Opaque. */
  cursor?: string | undefined;
  /** Addition to the contract. Only emails with this status. */
  status?:
    | 'queued'
    | 'sending'
    | 'sent'
    | 'delivered'
    | 'opened'
    | 'clicked'
    | 'failed'
    | 'bounced'
    | 'complained'
    | undefined;
  /** Addition to the contract. Only emails to this address. */
  to?: string | undefined;
  /** Addition to the contract. Only emails from this address. */
  from?: string | undefined;
  /** Addition to the contract. Only emails with this tag. */
  tag?: string | undefined;
  /** Addition to the contract. Only emails created at this time or later. */
  since?: string | undefined;
  /** Addition to the contract. Only emails created before this time. */
  until?: string | undefined;
}

export interface ListSuppressionsQuery {
  /** The number of addresses per page. */
  limit?: number | undefined;
  /** The next_cursor of the previous page. Opaque. */
  cursor?: string | undefined;
  /** Only this address, in any spelling. */
  address?: string | undefined;
  /** Only addresses with this reason. */
  reason?: 'manual' | 'unsubscribe' | 'bounce' | 'complaint' | undefined;
  /** Only addresses added at this time or later. */
  since?: string | undefined;
}

/** Send emails and track their delivery. */
export interface EmailsResource {
  /**
   * Send an email.
   *
   * Accepts an email and sends it later: 202 means queued. Follow it with getEmail or webhook events.
   * Retry with the same Idempotency-Key.
   *
   * Scope: `emails:send`.
   */
  send(body: SendEmail, options?: SendOptions): Promise<QueuedEmail>;
  /**
   * List emails, newest first.
   *
   * Pages are stable: emails accepted meanwhile do not shift later pages.
   *
   * Scope: `emails:read`.
   */
  list(query?: ListEmailsQuery, options?: CallOptions): Promise<EmailList>;
  /** The same over all pages, each fetched when it is needed. */
  iterate(query?: ListEmailsQuery, options?: CallOptions): AsyncGenerator<EmailSummary, void>;
  /**
   * Send up to 100 emails.
   *
   * Addition to the contract. Accepts all of the emails or none: an error names the first invalid one.
   * One Idempotency-Key applies to the whole batch.
   *
   * Scope: `emails:send`.
   */
  sendBatch(body: SendBatch, options?: SendOptions): Promise<QueuedBatch>;
  /**
   * Fetch an email with its timeline.
   *
   * Scope: `emails:read`.
   */
  get(id: string, options?: CallOptions): Promise<EmailDetail>;
  /**
   * Cancel an email that has not been sent.
   *
   * Addition to the contract. Cancels an email that is scheduled, queued or deferred. Recipients whose
   * delivery has not begun fail with reason cancelled; recipients who already received it keep it. 400
   * if it is being sent or is finished: nothing changes then. Cancelling again changes nothing.
   *
   * Scope: `emails:send`.
   */
  cancel(id: string, options?: CallOptions): Promise<EmailDetail>;
}

/** The domains you send from, and the DNS records they need. */
export interface DomainsResource {
  /**
   * List domains.
   *
   * Scope: `domains:read`.
   */
  list(options?: CallOptions): Promise<DomainList>;
  /**
   * Add a domain.
   *
   * Returns the DNS records to publish. Publish them, then verify the domain.
   *
   * Scope: `domains:write`.
   */
  create(body: CreateDomain, options?: CallOptions): Promise<Domain>;
  /**
   * Fetch a domain with its DNS records.
   *
   * Scope: `domains:read`.
   */
  get(id: string, options?: CallOptions): Promise<Domain>;
  /**
   * Remove a domain.
   *
   * The hosted domain cannot be removed, nor can a domain that still has mailboxes.
   *
   * Scope: `domains:write`.
   */
  delete(id: string, options?: CallOptions): Promise<void>;
  /**
   * Check the DNS records of a domain again.
   *
   * Checks DNS now and returns the results: the flags, and each record as found in DNS.
   *
   * Scope: `domains:write`.
   */
  verify(id: string, options?: CallOptions): Promise<Domain>;
}

/** Addresses that receive mail, each with its own login. */
export interface MailboxesResource {
  /**
   * List mailboxes, oldest first.
   *
   * Scope: `mailboxes:read`.
   */
  list(options?: CallOptions): Promise<MailboxList>;
  /**
   * Create a mailbox.
   *
   * The domain must be one of the project; it need not be verified. The mailbox also gets an entry in
   * the directory.
   *
   * Scope: `mailboxes:write`.
   */
  create(body: CreateMailbox, options?: CallOptions): Promise<CreatedMailbox>;
  /**
   * Fetch a mailbox.
   *
   * Scope: `mailboxes:read`.
   */
  get(id: string, options?: CallOptions): Promise<Mailbox>;
  /**
   * Change a mailbox.
   *
   * The address and the password cannot be changed here. Without a body nothing changes.
   *
   * Scope: `mailboxes:write`.
   */
  update(id: string, body?: UpdateMailbox, options?: CallOptions): Promise<Mailbox>;
  /**
   * Delete a mailbox.
   *
   * Also deletes its mail, its sign-in and its entry in the directory.
   *
   * Scope: `mailboxes:write`.
   */
  delete(id: string, options?: CallOptions): Promise<void>;
}

/** Addresses that deliver to one or more mailboxes. An addition to the contract. */
export interface AliasesResource {
  /**
   * List aliases, oldest first.
   *
   * Addition to the contract.
   *
   * Scope: `mailboxes:read`.
   */
  list(options?: CallOptions): Promise<AliasList>;
  /**
   * Create an alias.
   *
   * Addition to the contract. The domain must be one of the project; it need not be verified. The
   * mailboxes may be on other domains.
   *
   * Scope: `mailboxes:write`.
   */
  create(body: CreateAlias, options?: CallOptions): Promise<Alias>;
  /**
   * Fetch an alias.
   *
   * Addition to the contract.
   *
   * Scope: `mailboxes:read`.
   */
  get(id: string, options?: CallOptions): Promise<Alias>;
  /**
   * Change the mailboxes of an alias.
   *
   * Addition to the contract. The address cannot be changed. Without a body nothing changes.
   *
   * Scope: `mailboxes:write`.
   */
  update(id: string, body?: UpdateAlias, options?: CallOptions): Promise<Alias>;
  /**
   * Delete an alias.
   *
   * Addition to the contract. Its mailboxes keep the mail that they received through it.
   *
   * Scope: `mailboxes:write`.
   */
  delete(id: string, options?: CallOptions): Promise<void>;
}

/** Endpoints that are notified of email events. */
export interface WebhooksResource {
  /**
   * List webhooks, oldest first.
   *
   * Scope: `webhooks:read`.
   */
  list(options?: CallOptions): Promise<WebhookList>;
  /**
   * Create a webhook.
   *
   * The answer holds the signing secret, which is never shown again. A project has at most 50 webhooks.
   *
   * Scope: `webhooks:write`.
   */
  create(body: CreateWebhook, options?: CallOptions): Promise<CreatedWebhook>;
  /**
   * Fetch a webhook with its last deliveries.
   *
   * Scope: `webhooks:read`.
   */
  get(id: string, options?: CallOptions): Promise<WebhookDetail>;
  /**
   * Change, disable or enable a webhook.
   *
   * The secret does not change. Without a body nothing changes.
   *
   * Scope: `webhooks:write`.
   */
  update(id: string, body?: UpdateWebhook, options?: CallOptions): Promise<Webhook>;
  /**
   * Delete a webhook.
   *
   * Its deliveries are deleted too, including pending ones.
   *
   * Scope: `webhooks:write`.
   */
  delete(id: string, options?: CallOptions): Promise<void>;
  /**
   * Send a test event to a webhook.
   *
   * Sends one signed webhook.test at once, even to a disabled webhook, and waits up to 10 seconds for
   * the receiver. At most 20 tests of a project run at once.
   *
   * Scope: `webhooks:write`.
   */
  test(id: string, options?: CallOptions): Promise<WebhookTest>;
}

/** Saved subjects and bodies. */
export interface TemplatesResource {
  /**
   * List templates.
   *
   * Scope: `templates:read`.
   */
  list(options?: CallOptions): Promise<TemplateList>;
  /**
   * Fetch a template.
   *
   * Scope: `templates:read`.
   */
  get(id: string, options?: CallOptions): Promise<Template>;
}

/** The address book of an organisation. */
export interface DirectoryResource {
  /**
   * List the address book.
   *
   * Scope: `directory:read`.
   */
  list(options?: CallOptions): Promise<DirectoryList>;
  /**
   * Add a person.
   *
   * Scope: `directory:write`.
   */
  create(body: CreatePerson, options?: CallOptions): Promise<Person>;
  /**
   * Remove a person.
   *
   * A person who comes from a mailbox cannot be removed; a shared person is not found here.
   *
   * Scope: `directory:write`.
   */
  delete(id: string, options?: CallOptions): Promise<void>;
}

/** Addresses that a project no longer sends to. An addition to the contract. */
export interface SuppressionsResource {
  /**
   * List suppressed addresses, newest first.
   *
   * Addition to the contract. Pages are stable: entries added in the meantime do not shift later pages.
   *
   * Scope: `suppressions:read`.
   */
  list(query?: ListSuppressionsQuery, options?: CallOptions): Promise<SuppressionList>;
  /** The same over all pages, each fetched when it is needed. */
  iterate(query?: ListSuppressionsQuery, options?: CallOptions): AsyncGenerator<Suppression, void>;
  /**
   * Suppress addresses.
   *
   * Addition to the contract. Up to 1,000 addresses, all or none. It can be repeated: an existing entry
   * keeps the stronger reason and the later expiry.
   *
   * Scope: `suppressions:write`.
   */
  add(body: AddSuppressions, options?: CallOptions): Promise<AddedSuppressions>;
  /**
   * Fetch the suppression of an address.
   *
   * Addition to the contract. 404: the address is not suppressed.
   *
   * Scope: `suppressions:read`.
   */
  get(address: string, options?: CallOptions): Promise<Suppression>;
  /**
   * Remove a suppressed address.
   *
   * Addition to the contract. From the next attempt on the address gets mail again. If its server still
   * rejects it, the next bounce suppresses it again.
   *
   * Scope: `suppressions:write`.
   */
  remove(address: string, options?: CallOptions): Promise<void>;
}

/** The operations of the API, by resource. */
export class Resources {
  /** Send emails and track their delivery. */
  readonly emails: EmailsResource;
  /** The domains you send from, and the DNS records they need. */
  readonly domains: DomainsResource;
  /** Addresses that receive mail, each with its own login. */
  readonly mailboxes: MailboxesResource;
  /** Addresses that deliver to one or more mailboxes. An addition to the contract. */
  readonly aliases: AliasesResource;
  /** Endpoints that are notified of email events. */
  readonly webhooks: WebhooksResource;
  /** Saved subjects and bodies. */
  readonly templates: TemplatesResource;
  /** The address book of an organisation. */
  readonly directory: DirectoryResource;
  /** Addresses that a project no longer sends to. An addition to the contract. */
  readonly suppressions: SuppressionsResource;

  constructor(call: Call) {
    this.emails = {
      send: (body, options) =>
        call({ method: 'POST', path: '/v1/emails', body, takesIdempotencyKey: true }, options),
      list: (query, options) => call({ method: 'GET', path: '/v1/emails', query }, options),
      iterate: (first, options) =>
        iterate(first, (query) => call({ method: 'GET', path: '/v1/emails', query }, options)),
      sendBatch: (body, options) =>
        call({ method: 'POST', path: '/v1/emails/batch', body, takesIdempotencyKey: true }, options),
      get: (id, options) => call({ method: 'GET', path: '/v1/emails/{id}', id }, options),
      cancel: (id, options) =>
        call({ method: 'POST', path: '/v1/emails/{id}/cancel', id, isRepeatable: true }, options),
    };
    this.domains = {
      list: (options) => call({ method: 'GET', path: '/v1/domains' }, options),
      create: (body, options) => call({ method: 'POST', path: '/v1/domains', body }, options),
      get: (id, options) => call({ method: 'GET', path: '/v1/domains/{id}', id }, options),
      delete: (id, options) => call({ method: 'DELETE', path: '/v1/domains/{id}', id }, options),
      verify: (id, options) => call({ method: 'POST', path: '/v1/domains/{id}/verify', id }, options),
    };
    this.mailboxes = {
      list: (options) => call({ method: 'GET', path: '/v1/mailboxes' }, options),
      create: (body, options) => call({ method: 'POST', path: '/v1/mailboxes', body }, options),
      get: (id, options) => call({ method: 'GET', path: '/v1/mailboxes/{id}', id }, options),
      update: (id, body, options) => call({ method: 'PATCH', path: '/v1/mailboxes/{id}', id, body }, options),
      delete: (id, options) => call({ method: 'DELETE', path: '/v1/mailboxes/{id}', id }, options),
    };
    this.aliases = {
      list: (options) => call({ method: 'GET', path: '/v1/aliases' }, options),
      create: (body, options) => call({ method: 'POST', path: '/v1/aliases', body }, options),
      get: (id, options) => call({ method: 'GET', path: '/v1/aliases/{id}', id }, options),
      update: (id, body, options) => call({ method: 'PATCH', path: '/v1/aliases/{id}', id, body }, options),
      delete: (id, options) => call({ method: 'DELETE', path: '/v1/aliases/{id}', id }, options),
    };
    this.webhooks = {
      list: (options) => call({ method: 'GET', path: '/v1/webhooks' }, options),
      create: (body, options) => call({ method: 'POST', path: '/v1/webhooks', body }, options),
      get: (id, options) => call({ method: 'GET', path: '/v1/webhooks/{id}', id }, options),
      update: (id, body, options) => call({ method: 'PATCH', path: '/v1/webhooks/{id}', id, body }, options),
      delete: (id, options) => call({ method: 'DELETE', path: '/v1/webhooks/{id}', id }, options),
      test: (id, options) => call({ method: 'POST', path: '/v1/webhooks/{id}/test', id }, options),
    };
    this.templates = {
      list: (options) => call({ method: 'GET', path: '/v1/templates' }, options),
      get: (id, options) => call({ method: 'GET', path: '/v1/templates/{id}', id }, options),
    };
    this.directory = {
      list: (options) => call({ method: 'GET', path: '/v1/directory' }, options),
      create: (body, options) => call({ method: 'POST', path: '/v1/directory', body }, options),
      delete: (id, options) => call({ method: 'DELETE', path: '/v1/directory/{id}', id }, options),
    };
    this.suppressions = {
      list: (query, options) => call({ method: 'GET', path: '/v1/suppressions', query }, options),
      iterate: (first, options) =>
        iterate(first, (query) => call({ method: 'GET', path: '/v1/suppressions', query }, options)),
      add: (body, options) =>
        call({ method: 'POST', path: '/v1/suppressions', body, isRepeatable: true }, options),
      get: (address, options) =>
        call({ method: 'GET', path: '/v1/suppressions/{address}', id: address }, options),
      remove: (address, options) =>
        call({ method: 'DELETE', path: '/v1/suppressions/{address}', id: address }, options),
    };
  }
}
