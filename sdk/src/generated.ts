/** Made by `npm run -s generate -w sdk` from the OpenAPI document of contract version 0.3.0. Do not edit. */
import type { Call, CallOptions, SendOptions } from './request.ts';
import { iterate } from './iterate.ts';

export interface EmailDetail {
  id: string;
  status: EmailStatus;
  /** As given; empty when none was. */
  subject: string;
  /** As given. */
  from: string;
  /** As given. */
  to: string[];
  created_at: string;
  /** Addition to the contract. When it is, or was, to be sent; null: at once. */
  scheduled_at: string | null;
  /** As given; empty when none was, or when it is deleted. */
  html: string;
  /** As given; empty when none was, or when it is deleted. */
  text: string;
  /** Addition to the contract. When html and text were deleted; null while they are kept. */
  bodies_deleted_at: string | null;
  /** Addition to the contract. */
  stream: 'transactional' | 'bulk';
  /**
   * Addition to the contract. The template that subject, html and text were made of; null when they were
   * given.
   */
  template_id: string | null;
  /** Addition to the contract. As given. */
  cc: string[];
  /** Addition to the contract. As given. */
  bcc: string[];
  /** Addition to the contract. As given; null when none was. */
  reply_to: string | null;
  /** Addition to the contract. As given. */
  headers: Record<string, string>;
  /** Addition to the contract. As given. */
  tags: string[];
  /**
   * Addition to the contract. The Message-ID of the message, the same in every copy. Amazon SES writes
   * its own in its place.
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
  /** As given; empty when none was. */
  subject: string;
  /** As given. */
  from: string;
  /** As given. */
  to: string[];
  created_at: string;
  /** Addition to the contract. When it is, or was, to be sent; null: at once. */
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
  /** Each as sendEmail takes it. 6 MB in all. */
  emails: SendEmail[];
}

export type SendEmail = {
  /** addr@domain or Name <addr@domain>, on a verified domain of the project or on the hosted domain. */
  from: string;
  /**
   * Recipients: at most 50 in to, cc and bcc together. One that is named twice counts once, and gets one
   * copy.
   */
  to: string[];
  /** Further recipients, named in the message: at most 50 in to, cc and bcc together. */
  cc?: string[] | undefined;
  /** Further recipients, not named in the message: at most 50 in to, cc and bcc together. */
  bcc?: string[] | undefined;
  reply_to?: string | undefined;
  subject?: string | undefined;
  /**
   * At least one of html and text is required, unless there is a template_id; an empty one is an absent
   * one. At most 2 MB.
   */
  html?: string | undefined;
  /**
   * At least one of html and text is required, unless there is a template_id; an empty one is an absent
   * one. At most 2 MB.
   */
  text?: string | undefined;
  /**
   * Addition to the contract. A template of the project, in place of subject, html and text: they are
   * made of it and of variables when the email is accepted.
   */
  template_id?: string | undefined;
  /**
   * Addition to the contract. What the template asks for, by name: text, numbers, lists and objects. A
   * missing one is refused by its name.
   */
  variables?: Record<string, unknown> | undefined;
  /**
   * Extra headers, name to value. Headers that the service writes itself, and those that give orders to
   * a mail relay, are refused.
   */
  headers?: Record<string, string> | undefined;
  tags?: string[] | undefined;
  /**
   * Addition to the contract. transactional, unless given: mail that its recipient waits for. bulk: mail
   * to many. The streams of a project take turns, so neither waits behind a backlog of the other.
   */
  stream?: 'transactional' | 'bulk' | undefined;
  /**
   * Addition to the contract. When it is to be sent, up to 30 days ahead; until then it is queued, and
   * cancelEmail stops it. A time in the past is refused; one of the last five minutes is now.
   */
  scheduled_at?: string | undefined;
  /** Not supported here: attachments belong to mailbox compose. Leave the field out. */
  attachments?: undefined;
} & ({ html: string } | { text: string } | { template_id: string });

export interface CreateDomain {
  /**
   * A domain name such as acme.example, not a public suffix. An internationalised name is returned as
   * A-labels.
   */
  domain: string;
  /** Kept and returned as given. */
  region?: string | undefined;
}

export interface Domain {
  id: string;
  /** A-labels, lower case. */
  domain: string;
  region: string | null;
  /** Whether it is the hosted domain, which every project has. */
  is_hosted: boolean;
  /**
   * A verified domain can be sent from, and so can one in warning: it has lost its records, and becomes
   * pending after 72 hours. failed: it was pending for so long that it is checked only when verification
   * is asked for.
   */
  status: 'pending' | 'verified' | 'failed' | 'warning';
  /**
   * Addition to the contract. There, and true, when it is verified only because the operator marked it,
   * without DNS, for trying out. Never in production.
   */
  verified_by_hand?: boolean | undefined;
  spf_verified: boolean;
  dkim_verified: boolean;
  mail_from_verified: boolean;
  /** A recommendation: a domain can be verified without it. */
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
   * What it is for. CLIENT, an addition to the contract: mail apps find the servers by it. Such records
   * are there once the domain has a mailbox or an alias.
   */
  record: 'DKIM' | 'SPF' | 'MAIL_FROM' | 'DMARC' | 'MX' | 'CLIENT';
  type: 'TXT' | 'MX' | 'SRV' | 'CNAME';
  /** Where to publish it, in full. */
  name: string;
  /** The same relative to the domain; @ is the domain itself. */
  host: string;
  /** For an SRV record: weight, port and target, which is . for what is not offered. */
  value: string;
  /** A suggestion, in seconds. */
  ttl: number;
  /** For an MX or SRV record. */
  priority: number | null;
  /** Whether the domain cannot be verified without it. */
  required: boolean;
  /**
   * pending: not checked yet. temporary_failure: DNS could not be asked, and the flags stay as they
   * were.
   */
  status: 'pending' | 'verified' | 'failed' | 'temporary_failure';
  /** What DNS answered at the last check. */
  found: string[];
  /** What to do about it. */
  error: string | null;
  /**
   * Addition to the contract. There at the DKIM record of a key that does not sign, while the key is
   * being changed. next: publish it beside the other one; once it is seen, its key signs. retiring: its
   * key signed until now; keep the record until keep_until.
   */
  rotation?: 'next' | 'retiring' | undefined;
  keep_until?: string | undefined;
}

export interface CreateMailbox {
  /** A domain that was added to the project, or the hosted domain. */
  domain_id: string;
  /**
   * The part before the @; at most 64 bytes, without quotes and without +, which marks a tag: mail to
   * name+tag reaches name.
   */
  local_part: string;
  /** The name beside the address, on one line. */
  display_name?: string | undefined;
  /**
   * For the login of the mailbox; at most 1024 bytes. When it is left out, one is generated and
   * returned.
   */
  password?: string | undefined;
  /** In megabytes. */
  quota_mb?: number | undefined;
  /** How many emails may be sent from it in a day. Null: no limit of its own. */
  daily_send_limit?: number | null | undefined;
  /**
   * Whether it receives mail to addresses of its domain that do not exist. A domain may have one such
   * mailbox, the hosted domain none.
   */
  is_catch_all?: boolean | undefined;
  /** When it is left out, the level of the project holds. */
  spam_level?: 'off' | 'low' | 'medium' | 'high' | undefined;
  /** One address, which gets the answers to what the mailbox sends. */
  reply_to?: string | undefined;
  /** Added below what is written in the web client. At most 64 KB. */
  signature_html?: string | undefined;
}

export interface CreatedMailbox {
  id: string;
  domain_id: string;
  /** local_part@domain */
  address: string;
  /** As given. */
  local_part: string;
  /** Lower case; an internationalised name as A-labels. */
  domain: string;
  display_name: string | null;
  is_catch_all: boolean;
  /** In megabytes. */
  quota_mb: number;
  /** Null: no limit of its own. */
  daily_send_limit: number | null;
  /** Null inherits the default of the project. */
  spam_level: 'off' | 'low' | 'medium' | 'high' | null;
  /** Whether it has a password to log in with. */
  has_password: boolean;
  /** How many of its messages are unread. */
  unread: number;
  created_at: string;
  /** Only when it was generated, and never returned again. */
  password?: string | undefined;
}

export interface Mailbox {
  id: string;
  domain_id: string;
  /** local_part@domain */
  address: string;
  /** As given. */
  local_part: string;
  /** Lower case; an internationalised name as A-labels. */
  domain: string;
  display_name: string | null;
  is_catch_all: boolean;
  /** In megabytes. */
  quota_mb: number;
  /** Null: no limit of its own. */
  daily_send_limit: number | null;
  /** Null inherits the default of the project. */
  spam_level: 'off' | 'low' | 'medium' | 'high' | null;
  /** Whether it has a password to log in with. */
  has_password: boolean;
  /** How many of its messages are unread. */
  unread: number;
  created_at: string;
}

export interface MailboxList {
  /** Oldest first. */
  data: Mailbox[];
}

/** Fields that are left out stay as they are. */
export interface UpdateMailbox {
  /** The name beside the address, on one line. */
  display_name?: string | undefined;
  /**
   * Whether it receives mail to addresses of its domain that do not exist. A domain may have one such
   * mailbox, the hosted domain none.
   */
  is_catch_all?: boolean | undefined;
  /** Added below what is written in the web client. At most 64 KB. */
  signature_html?: string | undefined;
  /** One address, which gets the answers to what the mailbox sends. Empty: none. */
  reply_to?: string | undefined;
  /** Null inherits the default of the project. */
  spam_level?: 'off' | 'low' | 'medium' | 'high' | null | undefined;
  /** In megabytes. */
  quota_mb?: number | undefined;
  /** How many emails may be sent from it in a day. Null: no limit of its own. */
  daily_send_limit?: number | null | undefined;
}

/** Addition to the contract. */
export interface Alias {
  id: string;
  domain_id: string;
  /** local_part@domain */
  address: string;
  /** As given. */
  local_part: string;
  /** Lower case; an internationalised name as A-labels. */
  domain: string;
  /** Oldest first. A mailbox that is deleted is taken out; the alias goes with the last one. */
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
  /** A domain that was added to the project, or the hosted domain. */
  domain_id: string;
  /**
   * The part before the @, by the rules of mailboxes: mail to name+tag reaches name. No mailbox and no
   * other alias of the domain has it.
   */
  local_part: string;
  /**
   * The mailboxes of the project that get its mail, once each, and may write from it. One that is named
   * twice counts once.
   */
  mailbox_ids: string[];
}

/** Addition to the contract. The list takes the place of the one before. */
export interface UpdateAlias {
  /**
   * The mailboxes of the project that get its mail, once each, and may write from it. One that is named
   * twice counts once.
   */
  mailbox_ids?: string[] | undefined;
}

export interface CreateWebhook {
  /**
   * An absolute https URL on a public host, without credentials or a fragment. In development, http and
   * this machine are allowed too.
   */
  url: string;
  /** The events to deliver, each key once. */
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
  /** As given. */
  url: string;
  /** As given. */
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
  /** Set when the service disabled it. failing: for five days no delivery succeeded. */
  disabled_reason: 'failing' | null;
  created_at: string;
  updated_at: string;
  last_success_at: string | null;
  last_failure_at: string | null;
  /** Signs the deliveries. Shown here and never again. */
  secret: string;
}

/** Fields that are left out stay as they are. */
export interface UpdateWebhook {
  /**
   * An absolute https URL on a public host, without credentials or a fragment. In development, http and
   * this machine are allowed too.
   */
  url?: string | undefined;
  /** The events to deliver, each key once. */
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
   * false stops it: what is still to be delivered is marked failed. true starts it again, with new
   * events only.
   */
  enabled?: boolean | undefined;
}

export interface Webhook {
  id: string;
  /** As given. */
  url: string;
  /** As given. */
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
  /** Set when the service disabled it. failing: for five days no delivery succeeded. */
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
  /** How many attempts were made. */
  attempts: number;
  max_attempts: number;
  /** The status of the last attempt. Null when there was no answer. */
  http_status: number | null;
  /** Why there was no answer, or why no more attempts are made. */
  error: string | null;
  /** How long the last attempt took. */
  duration_ms: number | null;
  /** At most 4 KB. */
  request_body: string;
  /** The answer to the last attempt, at most 4 KB. */
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
  /** As given. */
  url: string;
  /** As given. */
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
  /** Set when the service disabled it. failing: for five days no delivery succeeded. */
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
  /** Null when there was no answer. */
  http_status: number | null;
  /** Whether the receiver answered with a 2xx status in time. */
  success: boolean;
  delivery_id: string;
}

/** A line of an SMTP dialogue, for people. */
export interface DialogueLine {
  /** Milliseconds since the attempt began. */
  at_ms: number;
  /** Who speaks; `note` says what happened without words. */
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
  /** Why the message went to this server, where that needs an explanation. */
  note?: string | undefined;
  /** What was said over SMTP, in order. */
  dialogue?: DialogueLine[] | undefined;
  tls: boolean;
}

export type SentDetail = ServerReply & { provider_message_id: string | null };

export type DeliveredDetail = DeliveredPayload & {
  /** RFC 3463, such as `5.1.1`. */
  enhanced_code?: string | null | undefined;
  /** Why the message went to this server, where that needs an explanation. */
  note?: string | undefined;
  /** What was said over SMTP, in order. */
  dialogue?: DialogueLine[] | undefined;
};

export type BouncedDetail = BouncedPayload & {
  /** Why the message went to this server, where that needs an explanation. */
  note?: string | undefined;
  /** What was said over SMTP, in order. */
  dialogue?: DialogueLine[] | undefined;
};

export type FailedDetail = FailedPayload & {
  smtp_code?: number | null | undefined;
  /** RFC 3463, such as `5.1.1`. */
  enhanced_code?: string | null | undefined;
  response?: string | null | undefined;
  remote_mta?: string | null | undefined;
  /** Why the message went to this server, where that needs an explanation. */
  note?: string | undefined;
  /** What was said over SMTP, in order. */
  dialogue?: DialogueLine[] | undefined;
  tls?: boolean | undefined;
};

export interface DeferredDetail {
  smtp_code: number | null;
  /** RFC 3463, such as `5.1.1`. */
  enhanced_code: string | null;
  response: string | null;
  remote_mta: string | null;
  /** Why the message went to this server, where that needs an explanation. */
  note?: string | undefined;
  /** What was said over SMTP, in order. */
  dialogue?: DialogueLine[] | undefined;
  tls?: boolean | undefined;
  /** Which one was put off, from 1. */
  attempt?: number | undefined;
  next_attempt_at?: string | undefined;
  /** A report told of the delay: the attempt is not ours. */
  source?: 'dsn' | undefined;
}

/**
 * An entry of the timeline: a stage of the email, or `deferred`: the receiving server asked to try
 * later.
 */
export type EmailEvent = {
  id: string;
  created_at: string;
  /** Null where the event concerns the whole email. */
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
  /** Whether the recipient's server took it over TLS. */
  tls: boolean | null;
}

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
  /** Such as `rejected`, `suppressed`, `domain_not_verified` or `cancelled`. */
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

export interface ClickedPayload {
  recipient: string;
  url: string | null;
  ip: string | null;
  user_agent: string | null;
  /** A proxy or a scanner, and no person. */
  is_machine: boolean | null;
}

export interface EmailEventData {
  email_id: string;
  /** The stage of this event; the email itself may be further. */
  status: EmailStatus;
  from: string;
  /** Whom the event concerns. */
  to: string[];
  subject: string;
  /** Null until it is known. */
  provider_message_id: string | null;
  tags: string[];
}

/** The email is accepted and waits for the worker. */
export interface EmailQueuedEvent {
  /** The same at every attempt and for every webhook: process an id once. */
  id: string;
  type: 'email.queued';
  created_at: string;
  data: EmailEventData & { status: 'queued'; event_payload: null };
}

/** The email is handed to the outbound provider. */
export interface EmailSendingEvent {
  /** The same at every attempt and for every webhook: process an id once. */
  id: string;
  type: 'email.sending';
  created_at: string;
  data: EmailEventData & { status: 'sending'; event_payload: null };
}

/** The provider accepted the message. */
export interface EmailSentEvent {
  /** The same at every attempt and for every webhook: process an id once. */
  id: string;
  type: 'email.sent';
  created_at: string;
  data: EmailEventData & { status: 'sent'; event_payload: null };
}

/** The server of the recipient accepted the message. */
export interface EmailDeliveredEvent {
  /** The same at every attempt and for every webhook: process an id once. */
  id: string;
  type: 'email.delivered';
  created_at: string;
  data: EmailEventData & { status: 'delivered'; event_payload: DeliveredPayload };
}

/** The tracking pixel was loaded, where tracking of opens is on. */
export interface EmailOpenedEvent {
  /** The same at every attempt and for every webhook: process an id once. */
  id: string;
  type: 'email.opened';
  created_at: string;
  data: EmailEventData & { status: 'opened'; event_payload: OpenedPayload };
}

/** A link was followed, where tracking of clicks is on. */
export interface EmailClickedEvent {
  /** The same at every attempt and for every webhook: process an id once. */
  id: string;
  type: 'email.clicked';
  created_at: string;
  data: EmailEventData & { status: 'clicked'; event_payload: ClickedPayload };
}

/** Sending failed before or at the provider. */
export interface EmailFailedEvent {
  /** The same at every attempt and for every webhook: process an id once. */
  id: string;
  type: 'email.failed';
  created_at: string;
  data: EmailEventData & { status: 'failed'; event_payload: FailedPayload };
}

/** The server of the recipient permanently rejected the message, or retries are used up. */
export interface EmailBouncedEvent {
  /** The same at every attempt and for every webhook: process an id once. */
  id: string;
  type: 'email.bounced';
  created_at: string;
  data: EmailEventData & { status: 'bounced'; event_payload: BouncedPayload };
}

/** The recipient marked the message as spam, and the recipient's provider reported it. */
export interface EmailComplainedEvent {
  /** The same at every attempt and for every webhook: process an id once. */
  id: string;
  type: 'email.complained';
  created_at: string;
  data: EmailEventData & { status: 'complained'; event_payload: ComplainedPayload };
}

/** The test operation sends it. */
export interface WebhookTestEvent {
  /** The same at every attempt and for every webhook: process an id once. */
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
  /** A Liquid template; empty when there is none. */
  html: string;
  /** A Liquid template; empty when there is none. */
  text: string;
  /**
   * The variables of the subject, html and text, each once, in the order in which they first appear. A
   * dotted name such as order.id stands whole; loop variables are left out.
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
  /** On one line. */
  name: string;
  /** An address alone, local@domain. No other person who was added here by hand may have it. */
  email: string;
  title?: string | undefined;
  organization?: string | undefined;
  notes?: string | undefined;
}

export interface DirectoryList {
  /** The people of this project and those shared with it, sorted by name. */
  people: Person[];
  /** Shares are made in the dashboard or on the command line, between two projects of one organisation. */
  shares: {
    /** Directories shared with this project, oldest first. */
    inbound: Share[];
    /** Projects that see the directory of this one, oldest first. */
    outbound: Share[];
  };
}

export interface Person {
  id: string;
  name: string;
  /** As given. */
  email: string;
  title: string | null;
  organization: string | null;
  notes: string | null;
  /**
   * manual: added to this project by hand. mailbox: comes from a mailbox of this project, and cannot be
   * removed here. shared: belongs to another project that shares its directory with this one.
   */
  source: 'manual' | 'mailbox' | 'shared';
  /** The project that the person belongs to: another one where source is shared. */
  project_id: string;
  created_at: string;
}

export interface Share {
  id: string;
  /** The other project: the one that shares its directory (inbound), or the one that sees it (outbound). */
  project_id: string;
  /** The name of that project. */
  project_name: string;
  /**
   * How many people are shared: those of the project that shares, without those that others share with
   * it.
   */
  people_count: number;
  created_at: string;
}

/** Addition to the contract. */
export interface AddSuppressions {
  /** Where one is no address, none is added. */
  addresses: string[];
  /**
   * Absent: manual. manual: somebody put it there. unsubscribe: its reader asked for no more mail.
   * bounce: its server says that there is no such mailbox. complaint: its reader marked an email as
   * spam.
   */
  reason?: 'manual' | 'unsubscribe' | 'bounce' | 'complaint' | undefined;
  /** When mail goes there again. Absent: never. */
  expires_at?: string | undefined;
}

/** Addition to the contract. */
export interface AddedSuppressions {
  /** What stands for each address now, once each. An entry that was there already may be a stronger one. */
  data: Suppression[];
  /** How many of them were not on the list before. */
  added: number;
}

/** Addition to the contract. */
export interface Suppression {
  /** In normal form. Case does not distinguish addresses here. */
  address: string;
  /**
   * manual: somebody put it there. unsubscribe: its reader asked for no more mail. bounce: its server
   * says that there is no such mailbox. complaint: its reader marked an email as spam.
   */
  reason: 'manual' | 'unsubscribe' | 'bounce' | 'complaint';
  /** The email that led to it; it may be deleted by now. Null: somebody put it there. */
  email_id: string | null;
  /** What was said: `diagnostic` has the words of the server. */
  detail: Record<string, unknown> | null;
  created_at: string;
  /** Null: for good. */
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
  /** What kind of error this is. It is stable: branch on it. */
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
  /** The kind of error in a few words, the same each time. */
  title: string;
  status: number;
  /** What is wrong with this request, for people. */
  detail?: string | undefined;
  /** The request id, also in X-Request-Id. */
  instance: string;
  /** With every 422: the name of a field of the request to what is wrong with it. */
  errors?: Record<string, string> | undefined;
  /** With missing-scope: the scope that the key lacks. */
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
  /** How many emails a page holds. */
  limit?: number | undefined;
  /** next_cursor of the page before. Opaque. */
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
  /** Addition to the contract. Only emails created then or later. */
  since?: string | undefined;
  /** Addition to the contract. Only emails created before. */
  until?: string | undefined;
}

export interface ListSuppressionsQuery {
  /** How many addresses a page holds. */
  limit?: number | undefined;
  /** next_cursor of the page before. Opaque. */
  cursor?: string | undefined;
  /** Only this address, however it is written. */
  address?: string | undefined;
  /** Only what is there for this reason. */
  reason?: 'manual' | 'unsubscribe' | 'bounce' | 'complaint' | undefined;
  /** Only what was added then or later. */
  since?: string | undefined;
}

/** Send emails and follow what happens to them. */
export interface EmailsResource {
  /**
   * Send an email.
   *
   * Accepts an email and sends it later: 202 means queued. getEmail and webhook events tell what happens
   * to it. Retry with the same Idempotency-Key.
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
   * Addition to the contract. Accepts all of the emails, or none: an error names the first that is
   * wrong. One Idempotency-Key counts for the whole batch.
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

/** Domains to send from, and the DNS records that they need. */
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
   * Returns the DNS records to publish. Publish them, then ask for verification.
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
   * Checks DNS now and returns what it found: the flags, and each record with what DNS has.
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
   * The domain must have been added to the project; it need not be verified. The mailbox also gets an
   * entry in the directory.
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
   * The address and the password stay as they are. Without a body nothing changes.
   *
   * Scope: `mailboxes:write`.
   */
  update(id: string, body?: UpdateMailbox, options?: CallOptions): Promise<Mailbox>;
  /**
   * Delete a mailbox.
   *
   * Its login, its mail and its entry in the directory are deleted too.
   *
   * Scope: `mailboxes:write`.
   */
  delete(id: string, options?: CallOptions): Promise<void>;
}

/** Addresses that lead to one or more mailboxes. An addition to the contract. */
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
   * Addition to the contract. The domain must have been added to the project; it need not be verified,
   * and the mailboxes may be on others.
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
   * Change where an alias leads to.
   *
   * Addition to the contract. The address stays as it is. Without a body nothing changes.
   *
   * Scope: `mailboxes:write`.
   */
  update(id: string, body?: UpdateAlias, options?: CallOptions): Promise<Alias>;
  /**
   * Delete an alias.
   *
   * Addition to the contract. Its mailboxes keep the mail that came by it.
   *
   * Scope: `mailboxes:write`.
   */
  delete(id: string, options?: CallOptions): Promise<void>;
}

/** URLs that are told what happens to emails. */
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
   * The secret stays as it is. Without a body nothing changes.
   *
   * Scope: `webhooks:write`.
   */
  update(id: string, body?: UpdateWebhook, options?: CallOptions): Promise<Webhook>;
  /**
   * Delete a webhook.
   *
   * Its deliveries are deleted too, even those that are still to be made.
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

/** Addresses that a project sends no more mail to. An addition to the contract. */
export interface SuppressionsResource {
  /**
   * List addresses that get no more mail, newest first.
   *
   * Addition to the contract. Pages are stable: what is added meanwhile does not shift later pages.
   *
   * Scope: `suppressions:read`.
   */
  list(query?: ListSuppressionsQuery, options?: CallOptions): Promise<SuppressionList>;
  /** The same over all pages, each fetched when it is needed. */
  iterate(query?: ListSuppressionsQuery, options?: CallOptions): AsyncGenerator<Suppression, void>;
  /**
   * Send no more mail to addresses.
   *
   * Addition to the contract. Up to 1,000 addresses, all or none. It may be repeated: an entry that is
   * there already only grows stronger.
   *
   * Scope: `suppressions:write`.
   */
  add(body: AddSuppressions, options?: CallOptions): Promise<AddedSuppressions>;
  /**
   * Fetch why an address gets no more mail.
   *
   * Addition to the contract. 404: it is not on the list.
   *
   * Scope: `suppressions:read`.
   */
  get(address: string, options?: CallOptions): Promise<Suppression>;
  /**
   * Send mail to an address again.
   *
   * Addition to the contract. From the next attempt on mail goes there again. If its server still
   * refuses, the address is back with the next bounce.
   *
   * Scope: `suppressions:write`.
   */
  remove(address: string, options?: CallOptions): Promise<void>;
}

/** The operations of the API, by resource. */
export class Resources {
  /** Send emails and follow what happens to them. */
  readonly emails: EmailsResource;
  /** Domains to send from, and the DNS records that they need. */
  readonly domains: DomainsResource;
  /** Addresses that receive mail, each with its own login. */
  readonly mailboxes: MailboxesResource;
  /** Addresses that lead to one or more mailboxes. An addition to the contract. */
  readonly aliases: AliasesResource;
  /** URLs that are told what happens to emails. */
  readonly webhooks: WebhooksResource;
  /** Saved subjects and bodies. */
  readonly templates: TemplatesResource;
  /** The address book of an organisation. */
  readonly directory: DirectoryResource;
  /** Addresses that a project sends no more mail to. An addition to the contract. */
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
