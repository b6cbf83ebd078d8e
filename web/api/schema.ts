/** Made by `npm run -s generate -w web` from the OpenAPI document of the dashboard. Do not edit. */

export interface AcceptInvitation {
  /** What stands behind the # of the link. */
  token: string;
  /** On one line. */
  name?: string | undefined;
  /** At least 12 characters. */
  password?: string | undefined;
}

export interface AcceptedInvitation {
  /**
   * `done`: there is a session of somebody who belongs to it. `sign-in`: the address has an account, and
   * nothing has changed: sign in to it first.
   */
  next: 'done' | 'sign-in';
}

/** How the user who asks signs in. */
export interface Account {
  has_password: boolean;
  /** Whether codes of an app are asked for. */
  authenticator_app: boolean;
  /** How many are left. */
  recovery_codes: number;
  passkeys: {
    id: string;
    name: string;
    created_at: string;
    last_used_at: string | null;
  }[];
  identities: {
    id: string;
    issuer: string;
    email: string;
    created_at: string;
    last_used_at: string;
  }[];
  /** By what the user says again who sits there. */
  confirms_by: ('password' | 'code' | 'passkey' | 'openid')[];
}

export interface AddMailboxRule {
  name: string;
  /** Whether all conditions have to be met, or one of them. */
  match: 'all' | 'any';
  conditions: string[];
  actions: string[];
  /** From 1 on. */
  position?: number | undefined;
}

export interface AddPasskey {
  /** From the step before. It works once, within ten minutes. */
  ticket: string;
  /** On one line. */
  name: string;
  response: {
    /** Base64url. */
    id: string;
    /** Base64url. */
    rawId: string;
    type: 'public-key';
    authenticatorAttachment?: 'platform' | 'cross-platform' | undefined;
    clientExtensionResults: Record<string, unknown>;
    response: {
      /** Base64url. */
      clientDataJSON: string;
      /** Base64url. */
      attestationObject: string;
      /** Base64url. */
      authenticatorData?: string | undefined;
      transports?: string[] | undefined;
      publicKeyAlgorithm?: number | undefined;
      /** Base64url. */
      publicKey?: string | undefined;
    };
  };
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

export interface AddedPasskey {
  passkey: {
    id: string;
    name: string;
    created_at: string;
    last_used_at: string | null;
  };
  /** Shown once. null: the user had a second factor already, and keeps the codes. */
  recovery_codes: string[] | null;
}

/** Addition to the contract. */
export interface AddedSuppressions {
  /** What stands for each address now, once each. An entry that was there already may be a stronger one. */
  data: Suppression[];
  /** How many of them were not on the list before. */
  added: number;
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

/** An API key without its token. Null where a list is: no restriction. */
export interface ApiKey {
  id: string;
  name: string;
  /** Null: full access. */
  scopes:
    | (
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
      )[]
    | null;
  /** The only domains that it may send from. `*.acme.example`: those below it. */
  from_domains: string[] | null;
  /** The only addresses that it may send to. `*@acme.example`: all of the domain. */
  recipients: string[] | null;
  /** The only IP addresses and networks that it may be used from. */
  addresses: string[] | null;
  expires_at: string | null;
  /** Within a minute. Null: never. */
  last_used_at: string | null;
  /**
   * The name of the user who made it in the dashboard. Null: on the command line, at the first start, or
   * by somebody who is gone.
   */
  created_by: string | null;
  /** The role that the maker has in the project now. Null: none, or it was not made in the dashboard. */
  maker_role: 'owner' | 'admin' | 'developer' | 'viewer' | null;
  /** The maker could not make it now: their role grants less, or they have left. */
  exceeds_maker: boolean;
  created_at: string;
}

export interface ApiKeyList {
  /** Those that were not revoked, oldest first. */
  data: ApiKey[];
  /** Every scope that there is. */
  scopes: {
    scope:
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
      | 'suppressions:write';
    /** What it allows, for people. */
    allows: string;
    /** The least role that may make a key with it. */
    granted_by: 'owner' | 'admin' | 'developer' | 'viewer';
  }[];
  /** The least role that may make a key without scopes. */
  full_access_granted_by: 'owner' | 'admin' | 'developer' | 'viewer';
}

export interface AppPassword {
  id: string;
  name: string;
  /** read: change nothing, and not send. */
  access: 'read' | 'everything';
  created_at: string;
  /** Within an hour. */
  last_used_at: string | null;
}

export interface AppPasswordList {
  /** Oldest first. */
  data: AppPassword[];
}

export interface AskPasskey {
  /** Of the step before, when it is the second one. */
  ticket?: string | undefined;
}

export interface BlockSender {
  sender: string;
}

export interface BlockedSender {
  /** An address, or a domain with all below it. */
  sender: string;
  created_at: string;
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

export type BouncedDetail = BouncedPayload & {
  /** Why the message went to this server, where that needs an explanation. */
  note?: string | undefined;
  /** What was said over SMTP, in order. */
  dialogue?: DialogueLine[] | undefined;
};

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

/** The last change first. */
export interface ChangeList {
  data: {
    id: string;
    created_at: string /** Resource and verb: `api-key.create`. */;
    action: string;
    actor: {
      kind: 'user' | 'api-key' | 'command-line' | 'system' | 'mailbox';
      id: string | null /** As they were called then. */;
      name: string /** IP address. */;
      address: string | null;
    };
    project_id: string | null /** What was changed: its id, or another name. */;
    target: string;
    target_name: string | null /** By the names of fields. */;
    before: Record<string, unknown> | null /** By the names of fields. */;
    after: Record<string, unknown> | null;
  }[];
  next_cursor: string | null;
}

export interface ChangeMailbox {
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
  empty_folders?: boolean | undefined;
  save_sent?: boolean | undefined;
}

export interface ChangeMailboxRule {
  enabled?: boolean | undefined;
  /** From 1 on. */
  position?: number | undefined;
}

export interface ChangePassword {
  current_password: string;
  /** At least 12 characters. */
  password: string;
}

/** What is named is changed. */
export interface ChangePerson {
  /** On one line. */
  name?: string | undefined;
  /** An address alone, local@domain. No other person who was added here by hand may have it. */
  email?: string | undefined;
  /** An empty one is taken away. */
  title?: string | undefined;
  /** An empty one is taken away. */
  organization?: string | undefined;
  /** An empty one is taken away. */
  notes?: string | undefined;
}

export interface ClickedPayload {
  recipient: string;
  url: string | null;
  ip: string | null;
  user_agent: string | null;
  /** A proxy or a scanner, and no person. */
  is_machine: boolean | null;
}

export interface ComplainedPayload {
  recipient: string;
  feedback_type: string | null;
  reporting_mta: string | null;
}

/** As SendEmail of the API. */
export interface ComposeEmail {
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
  /** Made by the page. The same key sends once, however often it arrives within 24 hours. */
  key: string;
}

export interface ConfirmSession {
  password?: string | undefined;
  code?: string | undefined;
  passkey?:
    | {
        /** From the step before. It works once, within ten minutes. */
        ticket: string;
        response: {
          /** Base64url. */
          id: string;
          /** Base64url. */
          rawId: string;
          type: 'public-key';
          authenticatorAttachment?: 'platform' | 'cross-platform' | undefined;
          clientExtensionResults: Record<string, unknown>;
          response: {
            /** Base64url. */
            clientDataJSON: string;
            /** Base64url. */
            authenticatorData: string;
            /** Base64url. */
            signature: string;
            /** Base64url. */
            userHandle?: string | undefined;
          };
        };
      }
    | undefined;
}

export interface ConfirmTotp {
  /** From the step before. It works once, within ten minutes. */
  ticket: string;
  code: string;
}

/** Until then nobody is asked again. */
export interface Confirmation {
  confirmed_until: string;
}

export interface ConfirmedTotp {
  /** Shown once. null: the user had a second factor already, and keeps the codes. */
  recovery_codes: string[] | null;
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

export interface CreateApiKey {
  /** What people call it. */
  name: string;
  /** Absent or null: full access. */
  scopes?:
    | (
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
      )[]
    | null
    | undefined;
  /** The only domains that it may send from. `*.acme.example`: those below it. */
  from_domains?: string[] | undefined;
  /** The only addresses that it may send to. `*@acme.example`: all of the domain. */
  recipients?: string[] | undefined;
  /** The only IP addresses and networks that it may be used from. */
  addresses?: string[] | undefined;
  /** Absent: it does not expire. */
  expires_at?: string | undefined;
}

export interface CreateAppPassword {
  name: string;
  /** read: change nothing, and not send. */
  access: 'read' | 'everything';
}

export interface CreateDomain {
  /**
   * A domain name such as acme.example, not a public suffix. An internationalised name is returned as
   * A-labels.
   */
  domain: string;
  /** Kept and returned as given. */
  region?: string | undefined;
}

export interface CreateInvitation {
  email: string;
  role: 'owner' | 'admin' | 'developer' | 'viewer';
  /** Whether a viewer may read what emails say. */
  sees_bodies?: boolean | undefined;
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

export interface CreatePerson {
  /** On one line. */
  name: string;
  /** An address alone, local@domain. No other person who was added here by hand may have it. */
  email: string;
  title?: string | undefined;
  organization?: string | undefined;
  notes?: string | undefined;
}

export interface CreateProject {
  /** On one line. */
  name: string;
  /** Chosen by operators. Without it that of POSTHORN_DEFAULT_PLAN. */
  plan?: 'free' | 'paid' | undefined;
}

export interface CreateShare {
  /** The id of another project of the organisation, in which the user is somebody. */
  to: string;
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

export interface CreatedApiKey {
  id: string;
  name: string;
  /** Null: full access. */
  scopes:
    | (
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
      )[]
    | null;
  /** The only domains that it may send from. `*.acme.example`: those below it. */
  from_domains: string[] | null;
  /** The only addresses that it may send to. `*@acme.example`: all of the domain. */
  recipients: string[] | null;
  /** The only IP addresses and networks that it may be used from. */
  addresses: string[] | null;
  expires_at: string | null;
  /** Within a minute. Null: never. */
  last_used_at: string | null;
  /**
   * The name of the user who made it in the dashboard. Null: on the command line, at the first start, or
   * by somebody who is gone.
   */
  created_by: string | null;
  /** The role that the maker has in the project now. Null: none, or it was not made in the dashboard. */
  maker_role: 'owner' | 'admin' | 'developer' | 'viewer' | null;
  /** The maker could not make it now: their role grants less, or they have left. */
  exceeds_maker: boolean;
  created_at: string;
  /** Shown once: only its hash is kept. */
  token: string;
}

export interface CreatedAppPassword {
  id: string;
  name: string;
  /** read: change nothing, and not send. */
  access: 'read' | 'everything';
  /** Shown here and never again. */
  password: string;
}

export interface CreatedInvitation {
  id: string;
  email: string;
  role: 'owner' | 'admin' | 'developer' | 'viewer';
  /** Whether a viewer may read what emails say. */
  sees_bodies: boolean;
  invited_by: string;
  /**
   * The mailbox of the address is on this server, and people with a lower role or of another
   * organisation can read it. An owner or an operator has to confirm the invitation before its link
   * works.
   */
  awaits_confirmation: boolean;
  created_at: string;
  expires_at: string;
  /**
   * Whether the invitation is sent by email too. It is not when the mailbox of the address is on this
   * server: hand over the link.
   */
  is_mailed: boolean;
  /** The link. It is shown only now. */
  url: string;
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

export interface CreatedOrganization {
  id: string;
  /** On one line. */
  name: string;
}

export interface CreatedProject {
  id: string;
  /** On one line. */
  name: string;
}

export interface CreatedShare {
  id: string;
}

export interface CreatedTemplate {
  id: string;
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

export interface DashboardAlias {
  id: string;
  domain_id: string;
  /** local_part@domain */
  address: string;
  /** As given. */
  local_part: string;
  /** Lower case; an internationalised name as A-labels. */
  domain: string;
  created_at: string;
  /** Where it leads to, the oldest first. */
  mailboxes: { id: string; address: string }[];
}

export interface DashboardAliasList {
  /** By domain and address. */
  data: DashboardAlias[];
}

/** A domain, with all that its page shows. */
export interface DashboardDomain {
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
  created_at: string;
  verified_at: string | null;
  last_checked_at: string | null;
  /** The DNS records to publish. */
  records: DomainRecord[];
  /** Null: not checked by itself any more. */
  next_check_at: string | null;
  /** Of a domain in warning: until then mail still goes out from it. */
  warning_until: string | null;
  /** The name that was registered, mostly that of the zone: records are entered relative to it. */
  organizational_domain: string;
  /** Or aliases: a domain that has some cannot be removed. */
  has_mailboxes: boolean;
  /** The records as a zone file (RFC 1035); empty without records. */
  zone_file: string;
  tracking: DomainTrackingSettings;
  /** What `inherit` means. */
  project_tracking: { opens: boolean; clicks: boolean };
  /** To register at feedback loops, for mail from this domain. Null: the operator does that. */
  complaint_address: string | null;
  /** Where mail for the domain is delivered, by its claim and by what is known of its MX. */
  mail: {
    /** Whether mail for the domain is accepted from outside. */
    accepted: boolean;
    /**
     * Whether mail that is sent from here to the domain is delivered here. If not, it goes to the
     * provider.
     */
    delivered_here: boolean;
    /** Why, in a sentence or two. */
    reason: string;
  };
  /**
   * What the DMARC policy of the domain does, and the next step. Null while DNS has not told of the
   * record.
   */
  dmarc: {
    /** The record that counts, as DNS has it. */
    published: string | null;
    /** The domain above whose policy it is. */
    inherited_from: string | null;
    /** What receivers are asked to do with forgeries. */
    policy: 'none' | 'quarantine' | 'reject' | null;
    /** The addresses of rua=. */
    reports_to: string[];
    dkim_alignment: 'relaxed' | 'strict';
    spf_alignment: 'relaxed' | 'strict';
    /** What the policy does, in a sentence. */
    summary: string;
    /** Whether mail from here is aligned, and by what. */
    alignment: string;
    /** What to do, in the order to do it in. */
    advice: string[];
    /** The record of the next stricter policy. */
    next: {
      policy: 'none' | 'quarantine' | 'reject';
      name: string;
      value: string;
    } | null;
  } | null;
}

export interface DashboardDomainList {
  /** The hosted domain first, then the oldest. */
  data: DashboardDomainSummary[];
}

/** A domain, without its records. */
export interface DashboardDomainSummary {
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
  created_at: string;
  verified_at: string | null;
  last_checked_at: string | null;
  /** Null: not checked by itself any more. */
  next_check_at: string | null;
  /** Of a domain in warning: until then mail still goes out from it. */
  warning_until: string | null;
  /** Whether the record of a next DKIM key is waited for. */
  is_rotating_dkim: boolean;
}

export interface DashboardFileLink {
  id: string;
  mailbox: { id: string; address: string };
  /** How many there are. */
  files: number;
  /** Null: the project does not show them (link_names). */
  names: string[] | null;
  octets: number;
  created_at: string;
  expires_at: string;
  state: 'open' | 'uploading' | 'expired' | 'revoked' | 'used-up';
  downloads: number;
  downloaded_octets: number;
  last_download_at: string | null;
}

export interface DashboardFileLinkList {
  /** The newest first. */
  data: DashboardFileLink[];
  /** The cursor of the next page. Null: this is the last one. */
  next: string | null;
  /** Of all files that are live. */
  live_octets: number;
  /** What the plan allows of them. */
  allowance_octets: number;
  /** The setting `link_names` of the project. */
  shows_names: boolean;
}

export interface DashboardMailbox {
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
  created_at: string;
  reply_to: string | null;
  signature_html: string | null;
  /** What was put into Junk or Trash 30 days ago is deleted. */
  empty_folders: boolean;
  /** What it sends is put into Sent. */
  save_sent: boolean;
  /** What a spam level of null means. */
  project_spam_level: 'off' | 'low' | 'medium' | 'high';
  /** Of its messages in all folders. */
  octets: number;
  /** In all folders. */
  messages: number;
  /** Since when messages are refused for its quota. */
  full_since: string | null;
  /** Null: it may send. */
  sending_lock: { locked_at: string; reason: 'refused' | 'complained' } | null;
  second_factor_since: string | null;
  /** Within ten minutes; of one before the upgrade within a day. */
  last_signed_in_at: string | null;
  /** Further addresses that lead to it, the oldest first. */
  aliases: { id: string; address: string }[];
  /** How many of the aliases go with it. */
  only_mailbox_of: number;
  /** What a mail app is set up with; the user is the address. */
  mail_access: {
    hostname: string;
    /** As mail apps are told, the best first. */
    services: {
      protocol: 'imap' | 'pop3' | 'submission';
      security: 'tls' | 'starttls' | 'none';
      port: number;
    }[];
  };
}

export interface DashboardMailboxPage {
  /** By domain and address. */
  data: DashboardMailboxSummary[];
  next_cursor: string | null;
}

export interface DashboardMailboxSummary {
  id: string;
  address: string;
  display_name: string | null;
  is_catch_all: boolean;
  /** Of its messages in all folders. */
  octets: number;
  /** In megabytes. */
  quota_mb: number;
  /** Why it may send nothing. Null: it may send. */
  sending_locked: 'refused' | 'complained' | null;
  /** Within ten minutes; of one before the upgrade within a day. */
  last_signed_in_at: string | null;
  created_at: string;
}

export interface DashboardWebhook {
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
  failing_since: string | null;
  /** When it is disabled if nothing succeeds until then. Null while it does not fail. */
  disabled_at: string | null;
  /** While a secret is rotated: until when the old one signs X-Mail-Signature. */
  previous_secret_until: string | null;
  /** Of the last 24 hours. */
  activity: WebhookActivity;
}

export interface DashboardWebhookDetail {
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
  failing_since: string | null;
  /** When it is disabled if nothing succeeds until then. Null while it does not fail. */
  disabled_at: string | null;
  /** While a secret is rotated: until when the old one signs X-Mail-Signature. */
  previous_secret_until: string | null;
  /** What is still to be delivered. */
  waiting: WaitingDeliveries;
  /** The last one. Null: there was none. */
  replay: WebhookReplay | null;
}

export interface DashboardWebhookList {
  /** Oldest first. */
  data: DashboardWebhook[];
}

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

export interface DeleteByName {
  /** Its name, typed: nobody deletes another one. */
  name: string;
}

export type DeliveredDetail = DeliveredPayload & {
  /** RFC 3463, such as `5.1.1`. */
  enhanced_code?: string | null | undefined;
  /** Why the message went to this server, where that needs an explanation. */
  note?: string | undefined;
  /** What was said over SMTP, in order. */
  dialogue?: DialogueLine[] | undefined;
};

export interface DeliveredPayload {
  recipient: string;
  remote_mta: string | null;
  smtp_code: number | null;
  response: string | null;
  /** Whether the recipient's server took it over TLS. */
  tls: boolean | null;
}

export interface DeliveryDetail {
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
  created_at: string;
  last_attempt_at: string | null;
  next_attempt_at: string | null;
  delivered_at: string | null;
  /** The bodies are empty because who asks may not see the contents of emails. */
  hides_bodies: boolean;
  /** Signatures are made anew for each attempt: their form. */
  request_headers: { name: string; value: string }[];
  /** At most 4 KB. */
  request_body: string;
  /** The answer to the last attempt, at most 4 KB. */
  response_body: string;
  /** Whether one of the two bodies was longer. */
  truncated: boolean;
}

export interface DeliveryPage {
  /** Newest first; those with the status pending: the next one due first. */
  data: DeliverySummary[];
  next_cursor: string | null;
  /**
   * Of a page that holds less than it could: how far back was looked for it. The next page goes on
   * there. Null: to the end.
   */
  looked_back_to: string | null;
  /** So many wait that only the list of those has them. */
  leaves_out_pending: boolean;
}

export interface DeliverySummary {
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
  created_at: string;
  last_attempt_at: string | null;
  next_attempt_at: string | null;
  delivered_at: string | null;
}

export interface DestinationOrder {
  domain: string;
}

/** A line of an SMTP dialogue, for people. */
export interface DialogueLine {
  /** Milliseconds since the attempt began. */
  at_ms: number;
  /** Who speaks; `note` says what happened without words. */
  by: 'client' | 'server' | 'note';
  text: string;
}

/** What `posthorn doctor` finds on the machine that answers. */
export interface Doctor {
  is_running: boolean;
  /** When the checks ended. */
  ran_at: string | null;
  /** The machine that they are about. */
  host: string;
  /** Why they could not be made. */
  error: string | null;
  checks: {
    name: string;
    verdict: 'ok' | 'warning' | 'problem';
    seen: string;
    advice: string | null;
  }[];
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

export interface DomainTrackingSettings {
  /** inherit: as the project has it. */
  opens: 'inherit' | 'on' | 'off';
  clicks: 'inherit' | 'on' | 'off';
}

export interface EmailContent {
  /** As given; null when none was. */
  html: string | null;
  /** The text part as it goes out. */
  text: string;
  /** It was made from the HTML. */
  text_is_made: boolean;
  /** Extra header fields as given. */
  headers: Record<string, string>;
  source: {
    /** The first 256 KB of the message. */
    text: string;
    /** Of the whole message. */
    octets: number;
    is_cut: boolean;
    /** It was composed just now, as each attempt composes it, and signed with the keys of today. */
    is_rebuilt: boolean;
  } | null;
  /** Of the message as it goes out, in their order. */
  header_fields: {
    name: string;
    value: string;
    meaning: string | null;
  }[];
  signatures: {
    domain: string;
    selector: string;
    algorithm: string;
    /** It is the domain of the sender, as DMARC asks. */
    is_aligned: boolean;
  }[];
  links: {
    url: string;
    text: string;
    problem: string | null;
    /** By people. */
    clicks: number;
    machine_clicks: number;
  }[];
  /** What does not work comes first. */
  checks: {
    name: string;
    result: 'pass' | 'note' | 'warning' | 'problem';
    title: string;
    advice: string | null;
    items: string[];
  }[];
  spam: {
    score: number;
    /** From this score on a mailbox here puts mail into Junk, at the level `medium`. */
    junk_from: number;
    reasons: {
      rule: string;
      weight: number;
      meaning: string;
    }[];
  } | null;
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

/** A page of the log. */
export interface EmailLog {
  /** Newest first. */
  data: LoggedEmail[];
  /** The cursor of the next page; null on the last one. */
  next_cursor: string | null;
  /** Where nothing was found: the words that no email has. */
  unmatched: string[];
  /** Why nothing was looked for: what is wrong with `q`, which may be half typed. It names the term. */
  fault: string | null;
  /** False: emails wait to be indexed, and not all of them were looked at. */
  is_complete: boolean;
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

export interface ErasePerson {
  /** In any case of its letters. */
  address: string;
  /** Its entry on the suppression list, too, which keeps mail from it. */
  suppressions?: boolean | undefined;
  /** The `next` of the step before. */
  after?: string | undefined;
}

/** What this step did. */
export interface ErasedStep {
  /** They went to nobody else. */
  emails_deleted: number;
  /** Others got them too: the address was taken out, and what they say. */
  emails_redacted: number;
  /** What waited for the person is not sent. */
  recipients_cancelled: number;
  /** In the directory. */
  people_deleted: number;
  suppressions_deleted: number;
  suppressions_kept: number;
  /** Not all of it so far: ask again with this as `after`. Null: done. */
  next: string | null;
}

/** An entry, and why it is there. */
export interface ExplainedSuppression {
  suppression: Suppression;
  /** The email that led to it. Null: none did, or it was deleted. */
  email: { subject: string; created_at: string } | null;
  /** What happened to it. Null: nothing that is in its timeline. */
  event: { type: 'bounced' | 'complained'; created_at: string } | null;
}

export interface FailedDeliveries {
  count: number;
  /** Whether there are more than that. */
  has_more: boolean;
}

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

export interface FailedPayload {
  /** Null where the failure concerns the whole email. */
  recipient: string | null;
  /** Such as `rejected`, `suppressed`, `domain_not_verified` or `cancelled`. */
  reason: string;
  detail: string | null;
}

export interface FailingTarget {
  to: string;
  /** In a row. */
  failures: number;
  since: string;
  /** Since when nothing is forwarded to it. */
  off_since: string | null;
  /** What its server said last. */
  reply: string;
}

export interface FindLink {
  /** What stands behind the # of the link. */
  token: string;
}

export interface FinishOpenId {
  /** From the step before. It works once, within ten minutes. */
  ticket: string;
  /** What stands behind the ? of where the provider sends the browser. */
  query: string;
}

export interface FinishedOpenId {
  next: 'done' | 'second-factor';
  /** From the step before. It works once, within ten minutes. */
  ticket?: string | undefined;
  methods?: ('code' | 'passkey' | 'recovery-code')[] | undefined;
  return_to: string;
}

/** A page of the directory. */
export interface FoundPeople {
  /** By name. */
  data: Person[];
  next_cursor: string | null;
}

export interface ImportSuppressions {
  /** A piece of a file. */
  text: string;
  /** Of the file, which may name its columns. Null: the piece begins with it. */
  first_line: string | null;
  /** Nothing follows the piece. */
  is_end: boolean;
  /** Of lines that name none. */
  reason: 'manual' | 'unsubscribe' | 'bounce' | 'complaint';
}

export interface ImportedSuppressions {
  /** How many characters were read. The next piece begins behind them. */
  read: number;
  /** How many lines that was. */
  lines: number;
  added: number;
  /** How many were on the list already. */
  known: number;
  /** What was left out, and why. */
  refused: {
    /** From 0, in the piece. */
    line: number;
    text: string;
    error: string;
  }[];
}

/** What a webhook was told of an event. */
export interface InspectedDelivery {
  id: string;
  webhook_id: string;
  url: string;
  type:
    | 'email.queued'
    | 'email.sending'
    | 'email.sent'
    | 'email.delivered'
    | 'email.opened'
    | 'email.clicked'
    | 'email.failed'
    | 'email.bounced'
    | 'email.complained';
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  max_attempts: number;
  http_status: number | null;
  error: string | null;
  last_attempt_at: string | null;
  next_attempt_at: string | null;
}

export interface InspectedEmail {
  id: string;
  status: EmailStatus;
  created_at: string;
  scheduled_at: string | null;
  /** A recipient failed with reason internal. */
  can_retry: boolean;
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  reply_to: string | null;
  subject: string;
  tags: string[];
  stream: 'transactional' | 'bulk';
  message_id: string;
  /** Whether its bodies can be shown. `hidden`: not to this user. */
  content: 'kept' | 'deleted' | 'hidden';
  bodies_deleted_at: string | null;
  tracking: {
    opens: boolean;
    clicks: boolean;
    unsubscribe: boolean;
  };
  /** No recipient has an attempt left. Opens, clicks and complaints may still come. */
  is_done: boolean;
  recipients: InspectedRecipient[];
  /**
   * The timeline, oldest first: the first and the last 500 events. The newest five attempts of each
   * recipient have their dialogues.
   */
  events: InspectedEvent[];
  events_left_out: number;
}

export interface InspectedEvent {
  event: EmailEvent;
  deliveries: InspectedDelivery[];
}

export interface InspectedRecipient {
  /** In the envelope. `erased@erased.invalid` where the person was erased. */
  address: string;
  field: 'to' | 'cc' | 'bcc';
  status: EmailStatus;
  /** How many are over while work is left; 0 once it is done. */
  attempts: number;
  next_attempt_at: string | null;
  /** A destination that takes nothing at the moment; it is asked with a message for somebody else. */
  waits_for: string | null;
  /**
   * The kind of provider that it was accepted for, where the installation has the other one now. It
   * waits until an operator releases or withdraws it.
   */
  other_provider: 'sandbox' | 'real' | null;
  /** No further attempt is made. */
  is_done: boolean;
}

/** Those that nobody has accepted, oldest first. */
export interface InvitationList {
  data: {
    id: string;
    email: string;
    role: 'owner' | 'admin' | 'developer' | 'viewer' /** Whether a viewer may read what emails say. */;
    sees_bodies: boolean;
    invited_by: string /** * The mailbox of the address is on this server, and people with a lower role or of another * organisation can read it. An owner or an operator has to confirm the invitation before its link * works. */;
    awaits_confirmation: boolean;
    created_at: string;
    expires_at: string;
  }[];
}

export interface LogLevel {
  /** As it is set (POSTHORN_LOG_LEVEL). */
  level: 'debug' | 'info' | 'warn' | 'error';
  /** All processes log `debug` until then. */
  raised_until: string | null;
}

/** A row of the log. */
export interface LoggedEmail {
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
  tags: string[];
}

export interface MailboxFiling {
  /** In their order. */
  rules: MailboxRule[];
  /** In the order of the alphabet. */
  blocked: BlockedSender[];
  /** Null: nobody is answered. */
  vacation: MailboxVacation | null;
  forwarding: MailboxForwarding | null;
  /** Targets, of the mailbox or of a rule, that refused what they were sent last. */
  failing: FailingTarget[];
}

export interface MailboxForwarding {
  to: string;
  /** Whether a copy stays in the mailbox. */
  keep: boolean;
}

export interface MailboxPassword {
  /** When it was generated. Shown here and never again. */
  password: string | null;
}

export interface MailboxRule {
  id: string;
  /** From 1 on. */
  position: number;
  name: string;
  enabled: boolean;
  /** Whether all conditions have to be met, or one of them. */
  match: 'all' | 'any';
  conditions: string[];
  actions: string[];
}

/** What a mailbox sends. */
export interface MailboxSending {
  /** What it sent in this calendar month (UTC). */
  month_emails: number;
  /** Recipients in the last 24 hours, which the daily send limit counts. */
  day_recipients: number;
  /** Recipients a day. Null: none of its own. */
  daily_send_limit: number | null;
}

export interface MailboxSignIns {
  /** What is open, as it was some seconds ago; the newest first, 100 at most. */
  sessions: {
    door: 'imap' | 'pop3' | 'submission' | 'web';
    /** The IP address. */
    address: string;
    /** Its name; empty: it is revoked. Null: the password of the mailbox. */
    app_password: string | null;
    connections: number;
    since: string;
  }[];
  /** The last one of each door and address, the newest first. */
  sign_ins: {
    door: 'imap' | 'pop3' | 'submission' | 'web';
    /** The IP address. */
    address: string;
    /** Its name; empty: it is revoked. Null: the password of the mailbox. */
    app_password: string | null;
    signed_in_at: string;
  }[];
}

export interface MailboxUsage {
  id: string;
  address: string;
  /** Of its messages in all folders. */
  octets: number;
  quota_mb: number;
  /** What it sent in this calendar month (UTC). */
  month_emails: number;
  /** What it sent on this day (UTC). */
  today_emails: number;
  /** Recipients a day. Null: none of its own. */
  daily_send_limit: number | null;
}

export interface MailboxUsagePage {
  data: MailboxUsage[];
  next_cursor: string | null;
}

export interface MailboxVacation {
  /** Null: Auto: and the subject that it answers. */
  subject: string | null;
  text: string;
  html: string | null;
  from: string | null;
  until: string | null;
  /** For how long a sender gets no other answer: 1 to 30. */
  days: number;
}

export interface Member {
  user_id: string;
  email: string;
  name: string;
  role: 'owner' | 'admin' | 'developer' | 'viewer';
  /** Whether a viewer may read what emails say. */
  sees_bodies: boolean;
  /** Where a project gives them less. `none`: it is unknown to them. */
  project_roles: { project_id: string; role: 'owner' | 'admin' | 'developer' | 'viewer' | 'none' }[];
  /**
   * False: the account was created from a copied link, and its owner has not yet opened a link sent to
   * its address.
   */
  is_verified: boolean;
  /** An authenticator app or a passkey. For owners and admins; null for others. */
  has_second_factor: boolean | null;
  /** For owners and admins; null for others. */
  last_signed_in_at: string | null;
  created_at: string;
}

/** The API keys of an organisation that one member made, oldest first. */
export interface MemberKeyList {
  data: {
    id: string;
    name: string;
    project_id: string;
    project_name: string /** Null: full access. */;
    scopes:
      | (
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
        )[]
      | null /** Within a minute. Null: never. */;
    last_used_at: string | null;
  }[];
}

/** Oldest first. */
export interface MemberList {
  data: Member[];
}

export interface MemberResetLink {
  /** The link. It is shown only now, and works once. */
  url: string;
  expires_at: string;
}

/** What became of the emails of a project over time. */
export interface Metrics {
  range: '24h' | '7d' | '30d' | '90d' | '1y';
  by: 'all' | 'domain' | 'provider' | 'stream' | 'tag';
  /** As of when the numbers are; null: nothing is counted yet. */
  counted_at: string | null;
  /** Whether all emails of this time are counted. */
  is_complete: boolean;
  /** How long a step is. */
  step_hours: number;
  /** When each begins (UTC), oldest first. */
  steps: string[];
  all: MetricsSeries;
  /** The largest first, and at the end the rest. Empty where nothing is told apart. */
  parts: MetricsSeries[];
}

export interface MetricsSeries {
  /** Of the domain, provider, stream or tag. Empty: all, the rest, or no tag. */
  name: string;
  /** All that are not named, together. */
  is_rest: boolean;
  total: {
    /** Accepted in this time. Of providers: those whose first recipient has a mailbox there. */
    emails: number;
    /** Of these emails. The numbers below are parts of this one. */
    recipients: number;
    /** Taken by the recipient's server. */
    delivered: number;
    /** Refused or come back for good. */
    bounced_hard: number;
    /** Refused or come back when retries were used up. */
    bounced_soft: number;
    /** Delivered and marked as spam. */
    complained: number;
    /** Never handed over. */
    failed: number;
    /** Delivered and opened, without a sign of a machine. */
    opened_by_people: number;
    /** Delivered and opened by machines alone. */
    opened_by_machines: number;
    /** Delivered, opened and clicked. */
    clicked: number;
    /** Milliseconds in which half of those that were delivered were, from the 202 on. */
    p50: number | null;
    /** The same of nine in ten. */
    p90: number | null;
    /** The same of 99 in a hundred. */
    p99: number | null;
  };
  /** For each of `steps` of the whole, in their order. Null: nothing was delivered in it. */
  steps: {
    emails: number[];
    recipients: number[];
    delivered: number[];
    bounced_hard: number[];
    bounced_soft: number[];
    complained: number[];
    failed: number[];
    opened_by_people: number[];
    opened_by_machines: number[];
    clicked: number[];
    p50: (number | null)[];
    p90: (number | null)[];
    p99: (number | null)[];
  };
}

/** Something that somebody has to do something about. */
export interface Need {
  kind: 'paused' | 'domain' | 'webhook' | 'mailbox' | 'plan' | 'api-key';
  tone: 'warn' | 'bad';
  /** Of what it is about. */
  id: string | null;
  /** What is the matter, in a sentence. */
  text: string;
}

export interface NewTotp {
  /** From the step before. It works once, within ten minutes. */
  ticket: string;
  /** For apps that take no picture. */
  secret: string;
  uri: string;
  /** An SVG image as a data URL: the same for a camera. */
  qr_code: string;
}

export interface OpenedPayload {
  recipient: string;
  ip: string | null;
  user_agent: string | null;
  /** A proxy or a scanner, and no person. */
  is_machine: boolean | null;
}

/** Mail to postmaster and abuse for which there is no mailbox. */
export interface OperatorMail {
  /** That are stored. */
  messages: number;
  /** Of all of them. */
  octets: number;
  /** With more of them, senders are told to come back later. */
  max_messages: number;
  /** The same. */
  max_octets: number;
  /** After which a message is deleted. */
  days: number;
  /** The newest first. */
  data: {
    id: string;
    received_at: string;
    /** As the header says; anyone can write anything there. */
    author: string;
    /** Of the envelope; empty for reports. */
    reverse_path: string;
    /** Of the envelope. */
    recipients: string[];
    subject: string;
    /** Of the message. */
    octets: number;
  }[];
}

/** One message, as plain text. */
export interface OperatorMessage {
  id: string;
  received_at: string;
  /** As the header says; anyone can write anything there. */
  author: string;
  /** Of the envelope; empty for reports. */
  reverse_path: string;
  /** Of the envelope. */
  recipients: string[];
  subject: string;
  /** Of the message. */
  octets: number;
  /** The IP address that it was sent from. */
  client_address: string;
  /** What the client called itself. */
  helo: string;
  /** As it was received, at most 64 Ki. */
  header: string;
  /** What it says, as plain text, at most 128 Ki. */
  text: string;
}

/** What became of the emails of a project, and what waits. */
export interface Overview {
  range: '24h' | '7d' | '30d';
  /** As of when the numbers are. */
  counted_at: string;
  total: {
    /** Accepted in this time. */
    emails: number;
    /** Of these emails. The numbers below are parts of this one. */
    recipients: number;
    /** Taken by the recipient's server. */
    delivered: number;
    /** Delivered and opened, by people and machines. */
    opened: number;
    /** Opened and clicked. */
    clicked: number;
    /** Never handed over. */
    failed: number;
    /** Refused, or come back. */
    bounced: number;
    /** Delivered and marked as spam. */
    complained: number;
  };
  /** The same over time, oldest first. */
  steps: {
    /** An hour, or a day from midnight (UTC): the emails that were accepted in it. */
    from: string;
    /** Accepted in this time. */
    emails: number;
    /** Of these emails. The numbers below are parts of this one. */
    recipients: number;
    /** Taken by the recipient's server. */
    delivered: number;
    /** Delivered and opened, by people and machines. */
    opened: number;
    /** Opened and clicked. */
    clicked: number;
    /** Never handed over. */
    failed: number;
    /** Refused, or come back. */
    bounced: number;
    /** Delivered and marked as spam. */
    complained: number;
  }[];
  queue: {
    /** Recipients that wait for their next attempt, up to 10,000. Not those whose time has not come. */
    waiting: number;
    is_longer: boolean;
    /** What waits longest: since it was accepted, or since its time came. */
    oldest: { id: string; created_at: string } | null;
  };
  /** The most urgent first. */
  needs: Need[];
}

export interface PasskeyAnswer {
  /** From the step before. It works once, within ten minutes. */
  ticket: string;
  response: {
    /** Base64url. */
    id: string;
    /** Base64url. */
    rawId: string;
    type: 'public-key';
    authenticatorAttachment?: 'platform' | 'cross-platform' | undefined;
    clientExtensionResults: Record<string, unknown>;
    response: {
      /** Base64url. */
      clientDataJSON: string;
      /** Base64url. */
      authenticatorData: string;
      /** Base64url. */
      signature: string;
      /** Base64url. */
      userHandle?: string | undefined;
    };
  };
  /** When it is the second step. */
  second_factor_ticket?: string | undefined;
}

/** For `navigator.credentials`, in the form of WebAuthn Level 3. */
export interface PasskeyQuestion {
  /** From the step before. It works once, within ten minutes. */
  ticket: string;
  options: Record<string, unknown>;
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

/** What is lost when it is deleted. */
export interface ProjectContents {
  projects: number;
  emails: number;
  /** Recipients that are still to be sent to. */
  waiting: number;
  mailboxes: number;
  /** In mailboxes. */
  messages: number;
  aliases: number;
  domains: number;
  /** Those that work. */
  api_keys: number;
  webhooks: number;
  templates: number;
  /** In the directory. */
  people: number;
  suppressions: number;
  storage_bytes: number;
  /** A number that is as high may be more. */
  counted_up_to: number;
}

export interface ProjectSettings {
  /** On one line. */
  name: string;
  /** Chosen by operators alone. */
  plan: 'free' | 'paid';
  /** Of mailboxes that have none of their own. */
  spam_level: 'off' | 'low' | 'medium' | 'high';
  track_opens: boolean;
  track_clicks: boolean;
  /** Webhooks are told of emails that came by SMTP, too. */
  smtp_events: boolean;
  /** Whoever writes in the web client is offered the addresses of the directory. */
  mail_directory: boolean;
  /** The dashboard shows what the files are called that mailboxes send as links. */
  link_names: boolean;
  /** Emails that are older are deleted; null: they are kept for ever. */
  keep_days: number | null;
  /** The same for `html` and `text`; 0: once the last attempt has ended. */
  keep_bodies_days: number | null;
  /** POSTHORN_KEEP_DAYS: the shorter one counts. */
  installation_keep_days: number | null;
}

/** What waits for one domain, and why. */
export interface QueueDestination {
  /** Of recipients. */
  domain: string;
  /** `closed`: its servers cannot be used, and it is tried again later. `held`: an operator holds it. */
  state: 'open' | 'closed' | 'held';
  /** Recipients. Those of emails that are to be sent later do not count until then. */
  waiting: number;
  /** Of these: handed over at this moment. */
  in_flight: number;
  /** When the oldest was accepted. */
  oldest_at: string | null;
  held_since: string | null;
  failing_since: string | null;
  /** Tries in a row that found it closed. */
  failures: number;
  next_try_at: string | null;
  /** Domains of senders whose mail it refuses, while it takes that of others. */
  refused_senders: number;
  /** Recipients that its servers put off one by one: each waits for its next try. */
  put_off: number;
  last_words: ServerWords | null;
}

export interface RaiseLogLevel {
  minutes: number;
}

/** Shown once. Those before stop working. */
export interface RecoveryCodes {
  recovery_codes: string[];
}

export interface RemoveSuppressions {
  addresses: string[];
}

export interface RemovedSuppressions {
  /** How many of them were on the list. */
  removed: number;
}

export interface RenameApiKey {
  name: string;
}

export interface RenameOrganization {
  /** On one line. */
  name: string;
}

export interface RenamePasskey {
  /** On one line. */
  name: string;
}

export interface ReplayFailed {
  /** Events of then and later. Null: all that is kept. */
  since: string | null;
}

export interface RequestReset {
  email: string;
}

export interface RequireSignIn {
  /**
   * `second-factor`: a code or a passkey, or a sign-in with the OpenID provider. `openid`: a sign-in
   * with the OpenID provider. Null: a password is enough.
   */
  required: 'second-factor' | 'openid' | null;
}

export interface ResetPassword {
  /** What stands behind the # of the link. */
  token: string;
  /** At least 12 characters. */
  password: string;
}

export interface Retention {
  /** Emails that are older are deleted; null: they are kept for ever. */
  keep_days: number | null;
  /** The same for `html` and `text`; 0: once the last attempt has ended. */
  keep_bodies_days: number | null;
}

/** What goes within the next minutes. */
export interface RetentionPreview {
  /** Those that are older than `keep_days`. */
  emails: number;
  /** Emails that are older than `keep_bodies_days`, and whose bodies were not deleted so far. */
  bodies: number;
  /** A number that is as high may be more. */
  counted_up_to: number;
}

export interface RotateSecret {
  /** For how long the old secret goes on signing, with the new one beside it. 0: not at all. */
  overlap_hours: 0 | 1 | 24 | 168;
}

export interface RotatedSecret {
  id: string;
  /** The new one. Shown here and never again. */
  secret: string;
  previous_secret_until: string | null;
}

export interface SaveTemplate {
  name: string;
  subject: string;
  html: string;
  text: string;
  /** An object as JSON: what it is filled in with when it is looked at. */
  sample?: string | undefined;
}

export interface SaveTemplateDraft {
  subject: string;
  html: string;
  text: string;
  /** An object as JSON: what it is filled in with when it is looked at. */
  sample: string;
  /** The `updated_at` of what it was made of. */
  based_on?: string | undefined;
}

/** A code of the app, or a recovery code. */
export interface SecondFactor {
  /** From the step before. It works once, within ten minutes. */
  ticket: string;
  code: string;
}

export interface SendAgain {
  /** Made by the page. The same key sends once, however often it arrives within 24 hours. */
  key: string;
}

export interface SendTemplateTest {
  from: string;
  to: string;
  /** Made by the page. The same key sends once, however often it arrives within 24 hours. */
  key: string;
}

/** The new email. */
export interface SentAgain {
  id: string;
  created_at: string;
}

export type SentDetail = ServerReply & { provider_message_id: string | null };

export interface SentTemplateTest {
  id: string;
  status: 'queued';
  created_at: string;
}

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

/** The last words of a server. */
export interface ServerWords {
  /** What it said, with its codes; or what this side says where nobody answered. */
  text: string;
  /** Its name. */
  server: string | null;
}

/** Who is signed in. */
export interface Session {
  user: {
    id: string;
    email: string;
    name: string;
    /** Of the installation: sees System. */
    is_operator: boolean;
    /** What the session lacks that the installation requires of its operators. Null: nothing. */
    operator_lacks: 'second-factor' | 'openid' | null;
  };
  session_id: string;
  /** Goes into X-CSRF-Token of every request that is no GET. It is the same for all of the session. */
  csrf_token: string;
  /** Until then keys, secrets and people can be changed without being asked again who is there. */
  confirmed_until: string;
  organizations: {
    id: string;
    name: string;
    role: 'owner' | 'admin' | 'developer' | 'viewer';
    /**
     * `second-factor`: a code or a passkey, or a sign-in with the OpenID provider. `openid`: a sign-in
     * with the OpenID provider. Null: a password is enough.
     */
    required_sign_in: 'second-factor' | 'openid' | null;
    /** What the session lacks that the organisation requires: it is shut until then. Null: nothing. */
    lacks: 'second-factor' | 'openid' | null;
  }[];
  /** Those in which the user is somebody, oldest first. */
  projects: {
    id: string;
    name: string;
    organization_id: string;
    plan: 'free' | 'paid';
    role: 'owner' | 'admin' | 'developer' | 'viewer';
    /** Whether the user is shown what emails say. */
    sees_bodies: boolean;
    created_at: string;
  }[];
  /** This installation. */
  service: {
    version: string;
    environment: 'development' | 'production';
    provider: 'sandbox' | 'smtp' | 'direct' | 'ses' | 'none';
    /**
     * Since when this installation sends no mail, because it has no provider for it. Mail is accepted and
     * waits. Null: it sends.
     */
    not_sending_since: string | null;
    /** Every project sends from it without any set-up. */
    hosted_domain: string;
    /** Where applications hand in mail by SMTP. */
    hostname: string;
    /** Where the API is, without a trailing slash. */
    base_url: string;
    /** The ports for SMTP, the best one first. */
    submission: {
      port: number;
      /** `tls`: from the first byte. */
      security: 'tls' | 'starttls' | 'none';
    }[];
  };
}

/** The one used last first. */
export interface SessionList {
  data: {
    id: string /** The one that asks. */;
    is_current: boolean /** From where it was begun. */;
    address: string;
    user_agent: string;
    created_at: string;
    last_used_at: string;
  }[];
}

export interface SetMailboxPassword {
  /** When it is left out, one is generated and returned. */
  password?: string | undefined;
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

export interface Shares {
  /** Directories that this project sees, oldest first. */
  inbound: Share[];
  /** Projects that see the directory of this one. */
  outbound: Share[];
}

export interface SignIn {
  email: string;
  password: string;
}

export interface SignInAnswer {
  /** `done`: there is a session. `second-factor`: one of the methods is asked for, with the ticket. */
  next: 'done' | 'second-factor';
  ticket?: string | undefined;
  methods?: ('code' | 'passkey' | 'recovery-code')[] | undefined;
}

/** What a link is for. */
export interface SignInLink {
  purpose: 'welcome' | 'reset' | 'invitation';
  /** Whose link it is; null: of whoever has it. */
  email: string | null;
  /** Where an invitation leads to. */
  organization: string | null;
  role: 'owner' | 'admin' | 'developer' | 'viewer' | null;
  invited_by: string | null;
  /** An owner of the organisation or an operator has to confirm the invitation first. */
  awaits_confirmation: boolean;
  /** Whether whoever is invited has an account already, and needs neither name nor password. */
  has_account: boolean;
  expires_at: string;
}

export interface SignInWays {
  openid: {
    /** The host of the provider. */
    name: string;
  } | null;
  /** The origin that passkeys work at. */
  passkeys_at: string;
  /** false: this is a sandbox, whose mail goes nowhere but to mailboxes of its own. */
  sends_mail: boolean;
}

export interface StartOpenId {
  /** Where the page goes afterwards: handed back as it is. */
  return_to: string;
}

/** How far a project is on the way to its first email. */
export interface StartProgress {
  /** Whether somebody has made an API key in the dashboard. */
  has_key: boolean;
  /** The newest one. */
  email: {
    id: string;
    status:
      | 'queued'
      | 'sending'
      | 'sent'
      | 'delivered'
      | 'opened'
      | 'clicked'
      | 'failed'
      | 'bounced'
      | 'complained';
    created_at: string;
  } | null;
}

export interface StartedOpenId {
  /** From the step before. It works once, within ten minutes. */
  ticket: string;
  /** Of the provider: where the browser goes. */
  url: string;
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

/** What ports with TLS show. */
export interface SystemCertificates {
  data: {
    names: string[];
    source: 'files' | 'acme';
    issuer: string | null;
    expires_at: string | null;
    next_attempt_at: string | null /** Since the last one that was obtained. */;
    failures: number;
    last_error: string | null /** A process has asked for it in the last day. */;
    is_wanted: boolean;
  }[];
}

/** What operators have changed, the last change first. */
export interface SystemChangeList {
  data: {
    id: string;
    created_at: string;
    action: string;
    actor: {
      kind: 'user' | 'api-key' | 'command-line' | 'system' | 'mailbox';
      name: string;
      address: string | null;
    };
    target: string;
    after: Record<string, unknown> | null;
  }[];
  next_cursor: string | null;
}

/** The processes of all machines. */
export interface SystemProcesses {
  /** Of the process that answers. */
  version: string;
  data: {
    id: string;
    host: string;
    name: string;
    roles: string[];
    version: string;
    started_at: string;
    heartbeat_at: string;
    /** Its last heartbeat is not older than seven seconds. */
    is_alive: boolean;
    /** Of the database's; negative: behind. */
    clock_ahead_ms: number;
    /** To the database, at the most. */
    connections: number;
  }[];
}

/** The queue by destination. */
export interface SystemQueue {
  paused: { since: string; because: 'restored' | 'asked' } | null;
  /** Recipients that were looked at: no more than 200,000. */
  waiting: number;
  /** There are more of them. */
  is_longer: boolean;
  /** Of these. */
  in_flight: number;
  oldest_at: string | null;
  /**
   * Accepted for the kind of provider that the installation does not have any more. It waits until an
   * operator releases or withdraws it.
   */
  other_kind: {
    kind: 'sandbox' | 'real';
    /** Recipients, among those looked at. */
    waiting: number;
  } | null;
  /** That the query finds. */
  destinations: number;
  page: number;
  pages: number;
  /** Those that most waits for first. */
  data: QueueDestination[];
}

/** Statements that take the most time. */
export interface SystemStatements {
  /** `running`: what has run for more than a second by now. */
  source: 'pg_stat_statements' | 'running';
  data: {
    /** Without values. */
    text: string;
    calls: number | null;
    /** Of all calls; for one that runs, until now. */
    total_ms: number;
    mean_ms: number | null;
    /** What it waits for. */
    state: string | null;
  }[];
}

/** What takes space. */
export interface SystemStorage {
  /** Of the data folder of the process that answers. */
  disk: {
    host: string;
    folder: string;
    free_bytes: number;
    total_bytes: number;
  };
  database_bytes: number;
  /** The largest first. */
  tables: {
    name: string;
    /** 0: it has none. */
    partitions: number;
    /** About. */
    rows: number;
    /** With its indexes. */
    bytes: number;
    /** Its largest partitions. */
    largest: {
      name: string;
      /** About. */
      rows: number;
      bytes: number;
    }[];
  }[];
  blobs: {
    /** Where messages of more than 64 KB are. */
    place: 'files' | 'bucket';
    /** About. */
    rows: number;
    /** What all projects keep, by their meters. */
    kept_bytes: number;
  };
}

/** What runs, and what the database is made for. */
export interface SystemVersions {
  version: string;
  node: string;
  postgresql: string;
  /** What lives. */
  running: {
    version: string;
    host: string;
    processes: number;
  }[];
  /** The newest first. */
  migrations: {
    name: string;
    /** `waits`: it takes away what older versions need, an hour after the last of them has ended. */
    state: 'done' | 'waits' | 'missing';
    done_at: string | null;
    /** Older versions do not start any more. */
    serves_from: string | null;
  }[];
}

export interface TemplateDetail {
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
  /** An object as JSON: what it is filled in with when it is looked at. */
  sample: string;
  /**
   * What the user has written and not saved. Where `based_on` is not the `updated_at` of the template,
   * somebody has saved since.
   */
  draft: {
    subject: string;
    html: string;
    text: string;
    /** An object as JSON: what it is filled in with when it is looked at. */
    sample: string;
    updated_at: string;
    based_on: string;
  } | null;
  /** Of the draft, or of what is saved where there is none. */
  trial: TemplateTrial;
}

export interface TemplateSummary {
  id: string;
  name: string;
  subject: string;
  variables: string[];
  has_html: boolean;
  has_text: boolean;
  updated_at: string;
}

export interface TemplateSummaryList {
  /** Sorted by name. */
  data: TemplateSummary[];
}

export interface TemplateTrial {
  /** Of the parts that can be read. */
  variables: string[];
  /** What cannot be read, with its place: `line 3, column 7: ...`. */
  errors: {
    subject?: string | undefined;
    html?: string | undefined;
    text?: string | undefined;
    sample?: string | undefined;
  };
  /** The variables that an email with this data would be refused for. */
  missing: string[];
  /** Why else it would be refused. */
  fault: string | null;
  /** What comes of it: what is missing is left empty. Null: nothing does. */
  filled: {
    subject: string;
    text: string;
    has_html: boolean;
  } | null;
}

export interface TemplateVersion {
  id: string;
  name: string;
  actor_kind: 'user' | 'api-key' | 'command-line' | 'system' | 'mailbox';
  actor_name: string;
  created_at: string;
  subject: string;
  html: string;
  text: string;
}

export interface TemplateVersionList {
  /** Newest first: the first is what is saved now. */
  data: {
    id: string;
    name: string;
    actor_kind: 'user' | 'api-key' | 'command-line' | 'system' | 'mailbox';
    actor_name: string;
    created_at: string;
  }[];
}

/** How often TLS went this way. */
export interface TlsResult {
  /** UTC */
  day: string;
  /** Of recipients. */
  policy_domain: string;
  /** `sts`: the domain has an MTA-STS policy, which its servers were held to. */
  policy_type: 'sts' | 'no-policy-found';
  /** Null: it is about the policy itself. */
  mx_host: string | null;
  /** A word of RFC 8460. */
  outcome: string;
  sessions: number;
}

export interface TlsResultPage {
  /** The newest day first, and each by domain. */
  data: TlsResult[];
  next_cursor: string | null;
}

export interface UnlockedMailbox {
  was_locked_for_sending: boolean;
}

/** Addition to the contract. The list takes the place of the one before. */
export interface UpdateAlias {
  /**
   * The mailboxes of the project that get its mail, once each, and may write from it. One that is named
   * twice counts once.
   */
  mailbox_ids?: string[] | undefined;
}

export interface UpdateMember {
  role?: 'owner' | 'admin' | 'developer' | 'viewer' | undefined;
  /** Whether a viewer may read what emails say. */
  sees_bodies?: boolean | undefined;
  /** Those that change. */
  project_roles?:
    | {
        project_id: string;
        /** Null: what they are in the organisation. */
        role: 'owner' | 'admin' | 'developer' | 'viewer' | 'none' | null;
      }[]
    | undefined;
}

export interface UpdateProject {
  /** On one line. */
  name?: string | undefined;
  /** Chosen by operators alone. */
  plan?: 'free' | 'paid' | undefined;
  /** Of mailboxes that have none of their own. */
  spam_level?: 'off' | 'low' | 'medium' | 'high' | undefined;
  track_opens?: boolean | undefined;
  track_clicks?: boolean | undefined;
  /** Webhooks are told of emails that came by SMTP, too. */
  smtp_events?: boolean | undefined;
  /** Whoever writes in the web client is offered the addresses of the directory. */
  mail_directory?: boolean | undefined;
  /** The dashboard shows what the files are called that mailboxes send as links. */
  link_names?: boolean | undefined;
}

/** Where somebody has saved since `based_on`, it is refused. */
export interface UpdateTemplate {
  name: string;
  subject: string;
  html: string;
  text: string;
  /** An object as JSON: what it is filled in with when it is looked at. */
  sample?: string | undefined;
  /** The `updated_at` of what it was made of. */
  based_on?: string | undefined;
}

export interface UpdateUser {
  /** On one line. */
  name: string;
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

export interface Usage {
  plan: 'free' | 'paid';
  /** The calendar month (UTC) that emails count in; the next one begins at `until`. */
  month: { from: string; until: string };
  /** As of when the emails are counted. */
  counted_at: string;
  emails: {
    used: number;
    /** Null: there is none. */
    limit: number | null;
  };
  mailbox_emails: {
    used: number;
    /** Null: there is none. */
    limit: number | null;
  };
  storage_bytes: {
    used: number;
    /** Null: there is none. */
    limit: number | null;
  };
  mailboxes: {
    used: number;
    /** Null: there is none. */
    limit: number | null;
  };
  own_domains: {
    used: number;
    /** Null: there is none. */
    limit: number | null;
  };
  /** The largest file in a message from a mailbox. */
  file_bytes: number;
  /** Of the files of all links that are live. */
  file_link_bytes: {
    used: number;
    /** Null: there is none. */
    limit: number | null;
  };
  /** The last 30 days, the oldest first. Amounts are those at the end of a day. */
  days: {
    /** UTC */
    day: string;
    emails: number;
    /** Null: nobody counted on that day. */
    mailbox_emails: number | null;
    /** Null: nobody counted on that day. */
    storage_bytes: number | null;
    /** Null: nobody counted on that day. */
    mailboxes: number | null;
    /** Null: nobody counted on that day. */
    own_domains: number | null;
    /** Null: nobody counted on that day. */
    file_link_bytes: number | null;
  }[];
}

export interface WaitingDeliveries {
  count: number;
  /** Whether there are more than that. */
  has_more: boolean;
  /** When the first of them is due. Null: none waits. */
  next_at: string | null;
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

export interface WebhookActivity {
  /** When the first step begins. */
  since: string;
  /** An hour or a day. */
  step_seconds: number;
  /** Attempts of each step that were answered with a 2xx. */
  delivered: number[];
  /** Attempts of each step that were not. */
  failed: number[];
}

export interface WebhookReplay {
  /** Null: all that is kept. */
  since: string | null;
  started_at: string;
  /** How many deliveries had failed when it began. */
  total: number;
  /** Whether there were more than that. */
  has_more: boolean;
  /** How many of them are due again by now, or out. */
  replayed: number;
  ended_at: string | null;
  ended_by: 'done' | 'stopped' | 'disabled' | null;
}

export interface WebhookTest {
  /** Null when there was no answer. */
  http_status: number | null;
  /** Whether the receiver answered with a 2xx status in time. */
  success: boolean;
  delivery_id: string;
}

export interface Welcome {
  /** What stands behind the # of the link. */
  token: string;
  /** On one line. */
  name: string;
  email: string;
  /** At least 12 characters. */
  password: string;
}

/** What does not go out any more. */
export interface Withdrawn {
  /** Recipients. */
  withdrawn: number;
  /** Else ask once more. */
  is_done: boolean;
}

export interface paths {
  '/sign-in': {
    /** Tell how people sign in here */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': SignInWays } } };
    };
  };
  '/session': {
    /** Sign in */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': SignIn } };
      responses: { 200: { content: { 'application/json': SignInAnswer } } };
    };
    /** Tell who is signed in, and what they may open */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': Session } } };
    };
    /** Sign out */
    delete: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/session/second-factor': {
    /** Sign in: the second step, with a code */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': SecondFactor } };
      responses: { 200: { content: { 'application/json': SignInAnswer } } };
    };
  };
  '/session/passkey-question': {
    /** Begin to sign in with a passkey */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: { content: { 'application/json': AskPasskey } };
      responses: { 200: { content: { 'application/json': PasskeyQuestion } } };
    };
  };
  '/session/passkey': {
    /** Sign in with a passkey */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': PasskeyAnswer } };
      responses: { 200: { content: { 'application/json': SignInAnswer } } };
    };
  };
  '/session/openid/start': {
    /** Begin to sign in with the OpenID provider */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': StartOpenId } };
      responses: { 200: { content: { 'application/json': StartedOpenId } } };
    };
  };
  '/session/openid': {
    /** Sign in with what the OpenID provider says */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': FinishOpenId } };
      responses: { 200: { content: { 'application/json': FinishedOpenId } } };
    };
  };
  '/projects/{project}/start': {
    /** Tell how far a project is on the way to its first email */
    get: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': StartProgress } } };
    };
  };
  '/projects/{project}/overview': {
    /** Tell what became of the emails of a project, what waits, and what needs somebody */
    get: {
      parameters: {
        query?: { range?: '24h' | '7d' | '30d' | undefined };
        path: { project: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': Overview } } };
    };
  };
  '/projects/{project}/metrics': {
    /** Tell what became of the emails of a project over time, and by what they have in common */
    get: {
      parameters: {
        query?: {
          range?: '24h' | '7d' | '30d' | '90d' | '1y' | undefined;
          by?: 'all' | 'domain' | 'provider' | 'stream' | 'tag' | undefined;
        };
        path: { project: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': Metrics } } };
    };
  };
  '/session/confirmation': {
    /** Say again who sits there */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: { content: { 'application/json': ConfirmSession } };
      responses: { 200: { content: { 'application/json': Confirmation } } };
    };
  };
  '/session/confirmation/passkey-question': {
    /** Begin to say again who sits there, with a passkey */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': PasskeyQuestion } } };
    };
  };
  '/session/confirmation/openid/start': {
    /** Begin to say again who sits there, at the OpenID provider */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': StartOpenId } };
      responses: { 200: { content: { 'application/json': StartedOpenId } } };
    };
  };
  '/session/confirmation/openid': {
    /** Say again who sits there, with what the OpenID provider says */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': FinishOpenId } };
      responses: { 200: { content: { 'application/json': FinishedOpenId } } };
    };
  };
  '/sessions': {
    /** List where the user is signed in */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': SessionList } } };
    };
    /** Sign out everywhere else */
    delete: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/sessions/{id}': {
    /** Sign out somewhere else */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/links': {
    /** Tell what a link is for */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': FindLink } };
      responses: { 200: { content: { 'application/json': SignInLink } } };
    };
  };
  '/links/welcome': {
    /** Become the first owner */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': Welcome } };
      responses: { 200: { content: { 'application/json': SignInAnswer } } };
    };
  };
  '/links/reset-request': {
    /** Ask for a mail with a link for another password */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': RequestReset } };
      responses: { 202: { content: never } };
    };
  };
  '/links/reset': {
    /** Set another password with a link */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': ResetPassword } };
      responses: { 200: { content: { 'application/json': SignInAnswer } } };
    };
  };
  '/links/invitation': {
    /** Join an organisation with a link */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': AcceptInvitation } };
      responses: { 200: { content: { 'application/json': AcceptedInvitation } } };
    };
  };
  '/user': {
    /** Change the name that others see */
    patch: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': UpdateUser } };
      responses: { 204: { content: never } };
    };
    /** Tell how the user signs in */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': Account } } };
    };
  };
  '/user/password': {
    /** Change the password */
    put: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': ChangePassword } };
      responses: { 204: { content: never } };
    };
  };
  '/organizations': {
    /** Make an organisation */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': RenameOrganization } };
      responses: { 201: { content: { 'application/json': CreatedOrganization } } };
    };
  };
  '/organizations/{organization}': {
    /** Rename an organisation */
    patch: {
      parameters: { query?: never; path: { organization: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': RenameOrganization } };
      responses: { 204: { content: never } };
    };
    /** Delete an organisation with all its projects */
    delete: {
      parameters: { query?: never; path: { organization: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': DeleteByName } };
      responses: { 204: { content: never } };
    };
  };
  '/organizations/{organization}/required-sign-in': {
    /** Require a second factor or OpenID of the members */
    put: {
      parameters: { query?: never; path: { organization: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': RequireSignIn } };
      responses: { 204: { content: never } };
    };
  };
  '/organizations/{organization}/contents': {
    /** Count what all projects of an organisation have, before it is deleted or exported */
    get: {
      parameters: { query?: never; path: { organization: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': ProjectContents } } };
    };
  };
  '/organizations/{organization}/export': {
    /** Export all that is known of the projects of an organisation */
    get: {
      parameters: { query?: never; path: { organization: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/octet-stream': string } } };
    };
  };
  '/organizations/{organization}/projects': {
    /** Make a project */
    post: {
      parameters: { query?: never; path: { organization: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': CreateProject } };
      responses: { 201: { content: { 'application/json': CreatedProject } } };
    };
  };
  '/projects/{project}/usage': {
    /** Tell how much of its plan a project uses, day by day */
    get: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': Usage } } };
    };
  };
  '/projects/{project}/usage/mailboxes': {
    /** List what each mailbox keeps and sends, page by page */
    get: {
      parameters: {
        query?: {
          by?: 'storage' | 'month' | 'today' | undefined;
          cursor?: string | undefined;
          limit?: number | undefined;
        };
        path: { project: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MailboxUsagePage } } };
    };
  };
  '/projects/{project}/settings': {
    /** Get the settings of a project */
    get: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': ProjectSettings } } };
    };
  };
  '/projects/{project}': {
    /** Rename a project, or change its settings */
    patch: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody?: { content: { 'application/json': UpdateProject } };
      responses: { 204: { content: never } };
    };
    /** Delete a project with all that it has */
    delete: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': DeleteByName } };
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/retention/preview': {
    /** Count what would be deleted if emails were kept for so long */
    get: {
      parameters: {
        query?: { keep_days?: number | undefined; keep_bodies_days?: number | undefined };
        path: { project: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': RetentionPreview } } };
    };
  };
  '/projects/{project}/erasures': {
    /** Erase what is kept of a person, by their address */
    post: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': ErasePerson } };
      responses: { 200: { content: { 'application/json': ErasedStep } } };
    };
  };
  '/projects/{project}/retention': {
    /** Set for how long emails and their bodies are kept */
    put: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': Retention } };
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/contents': {
    /** Count what a project has, before it is deleted or exported */
    get: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': ProjectContents } } };
    };
  };
  '/projects/{project}/export': {
    /** Export all that is known of a project */
    get: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/octet-stream': string } } };
    };
  };
  '/organizations/{organization}/users': {
    /** List who belongs to an organisation */
    get: {
      parameters: { query?: never; path: { organization: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MemberList } } };
    };
  };
  '/organizations/{organization}/users/{id}': {
    /** Change what somebody may do */
    patch: {
      parameters: {
        query?: never;
        path: { organization: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: { content: { 'application/json': UpdateMember } };
      responses: { 200: { content: { 'application/json': Member } } };
    };
    /** Remove somebody */
    delete: {
      parameters: {
        query?: { keys?: 'keep' | 'revoke' | undefined };
        path: { organization: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/organizations/{organization}/users/{id}/api-keys': {
    /** List the API keys that a member made */
    get: {
      parameters: {
        query?: never;
        path: { organization: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MemberKeyList } } };
    };
  };
  '/organizations/{organization}/users/{id}/sessions': {
    /** List where somebody is signed in */
    get: {
      parameters: {
        query?: never;
        path: { organization: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': SessionList } } };
    };
    /** Sign somebody out everywhere */
    delete: {
      parameters: {
        query?: never;
        path: { organization: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/organizations/{organization}/users/{id}/sessions/{part}': {
    /** Sign somebody out of one browser */
    delete: {
      parameters: {
        query?: never;
        path: { organization: string; id: string; part: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/organizations/{organization}/users/{id}/second-factor': {
    /** Switch off the second factor of somebody who has lost it */
    delete: {
      parameters: {
        query?: never;
        path: { organization: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/organizations/{organization}/users/{id}/reset-link': {
    /** Make a link with which a member sets another password */
    post: {
      parameters: {
        query?: never;
        path: { organization: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 201: { content: { 'application/json': MemberResetLink } } };
    };
  };
  '/organizations/{organization}/invitations': {
    /** List invitations that nobody has accepted */
    get: {
      parameters: { query?: never; path: { organization: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': InvitationList } } };
    };
    /** Invite somebody */
    post: {
      parameters: { query?: never; path: { organization: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': CreateInvitation } };
      responses: { 201: { content: { 'application/json': CreatedInvitation } } };
    };
  };
  '/organizations/{organization}/invitations/{id}/confirmation': {
    /** Confirm an invitation */
    post: {
      parameters: {
        query?: never;
        path: { organization: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/organizations/{organization}/invitations/{id}': {
    /** Withdraw an invitation */
    delete: {
      parameters: {
        query?: never;
        path: { organization: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/organizations/{organization}/changes': {
    /** List what was changed, by whom and from where */
    get: {
      parameters: {
        query?: {
          project?: string | undefined;
          who?: string | undefined;
          by?: 'user' | 'api-key' | 'command-line' | 'system' | 'mailbox' | undefined;
          what?: string | undefined;
          since?: string | undefined;
          cursor?: string | undefined;
          limit?: number | undefined;
        };
        path: { organization: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': ChangeList } } };
    };
  };
  '/organizations/{organization}/changes/export': {
    /** Export the changes that a filter finds, the last one first */
    get: {
      parameters: {
        query: {
          project?: string | undefined;
          who?: string | undefined;
          by?: 'user' | 'api-key' | 'command-line' | 'system' | 'mailbox' | undefined;
          what?: string | undefined;
          since?: string | undefined;
          format: 'csv' | 'ndjson';
        };
        path: { organization: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/octet-stream': string } } };
    };
  };
  '/system/doctor': {
    /** Tell what doctor finds on this machine */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': Doctor } } };
    };
    /** Make the checks of doctor again */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 202: { content: { 'application/json': Doctor } } };
    };
  };
  '/system/queue': {
    /** Show the queue by destination */
    get: {
      parameters: {
        query?: {
          q?: string | undefined;
          state?: 'closed' | 'held' | 'refusing' | undefined;
          page?: number | undefined;
        };
        path?: never;
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': SystemQueue } } };
    };
  };
  '/system/queue/pause': {
    /** Send nothing, and call no webhook */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/system/queue/resume': {
    /** Send again */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/system/queue/withdraw': {
    /** Do not send what was accepted before the pause */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': Withdrawn } } };
    };
  };
  '/system/destinations/hold': {
    /** Send nothing to a destination until it is resumed */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': DestinationOrder } };
      responses: { 204: { content: never } };
    };
  };
  '/system/destinations/resume': {
    /** Send to a destination that was held */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': DestinationOrder } };
      responses: { 204: { content: never } };
    };
  };
  '/system/destinations/try': {
    /** Try a destination that is closed, and what one has put off, at once */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': DestinationOrder } };
      responses: { 204: { content: never } };
    };
  };
  '/system/processes': {
    /** List the processes of all machines */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': SystemProcesses } } };
    };
  };
  '/system/storage': {
    /** Tell what takes space */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': SystemStorage } } };
    };
  };
  '/system/statements': {
    /** List the statements of the database that take the most time */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': SystemStatements } } };
    };
  };
  '/system/certificates': {
    /** List what ports with TLS show */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': SystemCertificates } } };
    };
  };
  '/system/tls-results': {
    /** List how TLS went with the recipients' servers */
    get: {
      parameters: {
        query?: {
          q?: string | undefined;
          day?: string | undefined;
          cursor?: string | undefined;
          limit?: number | undefined;
        };
        path?: never;
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': TlsResultPage } } };
    };
  };
  '/system/log-level': {
    /** Tell what is logged */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': LogLevel } } };
    };
    /** Log more for a while, in all processes */
    put: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': RaiseLogLevel } };
      responses: { 200: { content: { 'application/json': LogLevel } } };
    };
    /** Log as much as the settings say */
    delete: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/system/required-sign-in': {
    /** Get what is required of the sign-in of operators */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': RequireSignIn } } };
    };
    /** Require a second factor or OpenID of the operators */
    put: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': RequireSignIn } };
      responses: { 204: { content: never } };
    };
  };
  '/system/versions': {
    /** Tell what runs, and what the database is made for */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': SystemVersions } } };
    };
  };
  '/system/operator-mail': {
    /** List mail to postmaster and abuse that no mailbox gets */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': OperatorMail } } };
    };
  };
  '/system/operator-mail/{id}': {
    /** Show a message to the operators as plain text */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': OperatorMessage } } };
    };
    /** Delete a message to the operators */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/system/operator-mail/{id}/raw': {
    /** Download a message to the operators */
    get: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/octet-stream': string } } };
    };
  };
  '/system/changes': {
    /** List what operators changed */
    get: {
      parameters: {
        query?: { cursor?: string | undefined; limit?: number | undefined };
        path?: never;
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': SystemChangeList } } };
    };
  };
  '/user/authenticator-app': {
    /** Begin to set up an authenticator app */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': NewTotp } } };
    };
    /** Remove the authenticator app */
    delete: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/user/authenticator-app/confirmation': {
    /** Set up an authenticator app, with a code of it */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': ConfirmTotp } };
      responses: { 200: { content: { 'application/json': ConfirmedTotp } } };
    };
  };
  '/user/recovery-codes': {
    /** Make other recovery codes */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': RecoveryCodes } } };
    };
  };
  '/user/passkeys/question': {
    /** Begin to add a passkey */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': PasskeyQuestion } } };
    };
  };
  '/user/passkeys': {
    /** Add a passkey */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': AddPasskey } };
      responses: { 201: { content: { 'application/json': AddedPasskey } } };
    };
  };
  '/user/passkeys/{id}': {
    /** Call a passkey something else */
    patch: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': RenamePasskey } };
      responses: { 204: { content: never } };
    };
    /** Remove a passkey */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/user/identities/{id}': {
    /** Forget an account at the OpenID provider */
    delete: {
      parameters: { query?: never; path: { id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/api-keys': {
    /** List the API keys of a project, and the scopes that there are */
    get: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': ApiKeyList } } };
    };
    /** Make an API key */
    post: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': CreateApiKey } };
      responses: { 201: { content: { 'application/json': CreatedApiKey } } };
    };
  };
  '/projects/{project}/api-keys/{id}': {
    /** Rename an API key */
    patch: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': RenameApiKey } };
      responses: { 200: { content: { 'application/json': ApiKey } } };
    };
    /** Revoke an API key */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/domains': {
    /** List the domains of a project */
    get: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DashboardDomainList } } };
    };
    /** Add a domain */
    post: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': CreateDomain } };
      responses: { 201: { content: { 'application/json': Domain } } };
    };
  };
  '/projects/{project}/domains/{id}': {
    /** Get a domain, with its records and what DNS had of them */
    get: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DashboardDomain } } };
    };
    /** Remove a domain and its DKIM keys */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/domains/{id}/check': {
    /** Look the records of a domain up in DNS */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DashboardDomain } } };
    };
  };
  '/projects/{project}/domains/{id}/tracking': {
    /** Set what is tracked in mail from a domain */
    put: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': DomainTrackingSettings } };
      responses: { 200: { content: { 'application/json': DashboardDomain } } };
    };
  };
  '/projects/{project}/domains/{id}/dkim-rotation': {
    /** Make the DKIM key of a domain that is to sign next */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DashboardDomain } } };
    };
    /** Forget the DKIM key that was to sign next */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DashboardDomain } } };
    };
  };
  '/projects/{project}/emails': {
    /** Search the emails of a project */
    get: {
      parameters: {
        query?: {
          q?: string | undefined;
          limit?: number | undefined;
          cursor?: string | undefined;
          after?: string | undefined;
        };
        path: { project: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': EmailLog } } };
    };
    /** Send an email that somebody wrote here */
    post: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': ComposeEmail } };
      responses: { 202: { content: { 'application/json': SentAgain } } };
    };
  };
  '/projects/{project}/emails/export': {
    /** Export the emails of a project that a search finds */
    get: {
      parameters: {
        query: { q?: string | undefined; format: 'csv' | 'ndjson' };
        path: { project: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/octet-stream': string } } };
    };
  };
  '/projects/{project}/test-email': {
    /** Send a test email to oneself */
    post: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': SendAgain } };
      responses: { 202: { content: { 'application/json': SentAgain } } };
    };
  };
  '/projects/{project}/emails/{id}': {
    /** Show an email with its timeline, its dialogues and what webhooks were told */
    get: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': InspectedEmail } } };
    };
    /** Erase an email with all that is known of it */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/emails/{id}/content': {
    /** Show what an email says, with its header, links and checks */
    get: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': EmailContent } } };
    };
  };
  '/projects/{project}/emails/{id}/source': {
    /** Download the message of an email */
    get: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'message/rfc822': string } } };
    };
  };
  '/projects/{project}/emails/{id}/preview': {
    /** Show an email as its recipient sees it */
    get: {
      parameters: {
        query?: { remote?: '0' | '1' | undefined; theme?: 'light' | 'dark' | undefined };
        path: { project: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'text/html': string } } };
    };
  };
  '/projects/{project}/emails/{id}/send-again': {
    /** Send what an email said once more, as a new email */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': SendAgain } };
      responses: { 202: { content: { 'application/json': SentAgain } } };
    };
  };
  '/projects/{project}/emails/{id}/send-now': {
    /** Send an email now that waits for its time */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/emails/{id}/cancel': {
    /** Take back what of an email is not sent yet */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/emails/{id}/retry': {
    /** Try an email again that failed with reason internal */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/templates': {
    /** Templates of a project */
    get: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': TemplateSummaryList } } };
    };
    /** Make a template */
    post: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': SaveTemplate } };
      responses: { 201: { content: { 'application/json': CreatedTemplate } } };
    };
  };
  '/projects/{project}/templates/{id}': {
    /** A template, with what the user has written and not saved */
    get: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': TemplateDetail } } };
    };
    /** Save a template */
    put: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': UpdateTemplate } };
      responses: { 200: { content: { 'application/json': TemplateDetail } } };
    };
    /** Delete a template, with its history */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/templates/{id}/draft': {
    /** Keep what the user has written of a template, and try it out */
    put: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': SaveTemplateDraft } };
      responses: { 200: { content: { 'application/json': TemplateTrial } } };
    };
    /** Forget what the user has written and not saved */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/templates/{id}/preview': {
    /** Show what the user has written, filled in with the sample data, as a recipient would see it */
    get: {
      parameters: {
        query?: {
          remote?: '0' | '1' | undefined;
          theme?: 'light' | 'dark' | undefined;
          of?: string | undefined;
        };
        path: { project: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'text/html': string } } };
    };
  };
  '/projects/{project}/templates/{id}/test': {
    /** Send what the user has written to one address, filled in with the sample data */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': SendTemplateTest } };
      responses: { 202: { content: { 'application/json': SentTemplateTest } } };
    };
  };
  '/projects/{project}/templates/{id}/versions': {
    /** What was saved of a template: when, and by whom */
    get: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': TemplateVersionList } } };
    };
  };
  '/projects/{project}/templates/{id}/versions/{part}': {
    /** What a template said once */
    get: {
      parameters: {
        query?: never;
        path: { project: string; id: string; part: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': TemplateVersion } } };
    };
  };
  '/projects/{project}/webhooks': {
    /** Webhooks of a project, with their attempts of the last day */
    get: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DashboardWebhookList } } };
    };
    /** Make a webhook */
    post: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': CreateWebhook } };
      responses: { 201: { content: { 'application/json': CreatedWebhook } } };
    };
  };
  '/projects/{project}/webhooks/{id}': {
    /** Fetch a webhook, with what waits and its last replay */
    get: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DashboardWebhookDetail } } };
    };
    /** Change, pause or resume a webhook */
    patch: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: { content: { 'application/json': UpdateWebhook } };
      responses: { 200: { content: { 'application/json': Webhook } } };
    };
    /** Delete a webhook with its log of deliveries */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/webhooks/{id}/test': {
    /** Send a test event */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': WebhookTest } } };
    };
  };
  '/projects/{project}/webhooks/{id}/activity': {
    /** Count the attempts of a webhook by hour or day */
    get: {
      parameters: {
        query: { span: '24h' | '7d' | '30d' };
        path: { project: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': WebhookActivity } } };
    };
  };
  '/projects/{project}/webhooks/{id}/deliveries': {
    /** Deliveries of a webhook, page by page */
    get: {
      parameters: {
        query?: {
          limit?: number | undefined;
          cursor?: string | undefined;
          status?: 'pending' | 'delivered' | 'failed' | undefined;
          type?:
            | 'email.queued'
            | 'email.sending'
            | 'email.sent'
            | 'email.delivered'
            | 'email.opened'
            | 'email.clicked'
            | 'email.failed'
            | 'email.bounced'
            | 'email.complained'
            | 'webhook.test'
            | undefined;
          since?: string | undefined;
          until?: string | undefined;
        };
        path: { project: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DeliveryPage } } };
    };
  };
  '/projects/{project}/webhooks/{id}/deliveries/{part}': {
    /** Fetch a delivery with its bodies */
    get: {
      parameters: {
        query?: never;
        path: { project: string; id: string; part: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DeliveryDetail } } };
    };
  };
  '/projects/{project}/webhooks/{id}/deliveries/{part}/replay': {
    /** Send a failed delivery again */
    post: {
      parameters: {
        query?: never;
        path: { project: string; id: string; part: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DeliveryDetail } } };
    };
  };
  '/projects/{project}/webhooks/{id}/failed': {
    /** Count what a replay would send again */
    get: {
      parameters: {
        query?: { since?: string | undefined };
        path: { project: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': FailedDeliveries } } };
    };
  };
  '/projects/{project}/webhooks/{id}/replay': {
    /** Send all that failed since a time again */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': ReplayFailed } };
      responses: { 202: { content: { 'application/json': WebhookReplay } } };
    };
    /** Stop a replay */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': WebhookReplay } } };
    };
  };
  '/projects/{project}/webhooks/{id}/secret': {
    /** Rotate the signing secret */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': RotateSecret } };
      responses: { 200: { content: { 'application/json': RotatedSecret } } };
    };
  };
  '/projects/{project}/webhooks/{id}/secret/finish': {
    /** Let the new secret sign alone */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DashboardWebhookDetail } } };
    };
  };
  '/projects/{project}/webhooks/{id}/secret/cancel': {
    /** Take the new secret back */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DashboardWebhookDetail } } };
    };
  };
  '/projects/{project}/mailboxes': {
    /** Mailboxes of a project, page by page */
    get: {
      parameters: {
        query?: { q?: string | undefined; cursor?: string | undefined; limit?: number | undefined };
        path: { project: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DashboardMailboxPage } } };
    };
    /** Make a mailbox */
    post: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': CreateMailbox } };
      responses: { 201: { content: { 'application/json': CreatedMailbox } } };
    };
  };
  '/projects/{project}/mailboxes/{id}': {
    /** Settings and storage of a mailbox */
    get: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DashboardMailbox } } };
    };
    /** Change settings of a mailbox */
    patch: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: { content: { 'application/json': ChangeMailbox } };
      responses: { 200: { content: { 'application/json': DashboardMailbox } } };
    };
    /** Delete a mailbox with its mail */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/mailboxes/{id}/sending': {
    /** What a mailbox sends, beside its limit */
    get: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MailboxSending } } };
    };
  };
  '/projects/{project}/mailboxes/{id}/password': {
    /** Set the password of a mailbox */
    put: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: { content: { 'application/json': SetMailboxPassword } };
      responses: { 200: { content: { 'application/json': MailboxPassword } } };
    };
  };
  '/projects/{project}/mailboxes/{id}/second-factor': {
    /** Take the second factor off a mailbox */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/mailboxes/{id}/unlock': {
    /** Forgive wrong passwords, and let a mailbox send again */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': UnlockedMailbox } } };
    };
  };
  '/projects/{project}/mailboxes/{id}/app-passwords': {
    /** App passwords of a mailbox, without their secrets */
    get: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': AppPasswordList } } };
    };
    /** Make a password for one mail app */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': CreateAppPassword } };
      responses: { 201: { content: { 'application/json': CreatedAppPassword } } };
    };
  };
  '/projects/{project}/mailboxes/{id}/app-passwords/{part}': {
    /** Revoke an app password */
    delete: {
      parameters: {
        query?: never;
        path: { project: string; id: string; part: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/mailboxes/{id}/sign-ins': {
    /** Who opens a mailbox: sessions and the last sign-ins */
    get: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MailboxSignIns } } };
    };
  };
  '/projects/{project}/mailboxes/{id}/sessions': {
    /** End all sessions of a mailbox */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/mailboxes/{id}/filing': {
    /** Rules, blocked senders, vacation and forwarding of a mailbox */
    get: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': MailboxFiling } } };
    };
  };
  '/projects/{project}/mailboxes/{id}/rules': {
    /** Add a rule */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': AddMailboxRule } };
      responses: { 201: { content: { 'application/json': MailboxRule } } };
    };
  };
  '/projects/{project}/mailboxes/{id}/rules/{part}': {
    /** Move a rule, or switch it on or off */
    patch: {
      parameters: {
        query?: never;
        path: { project: string; id: string; part: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: { content: { 'application/json': ChangeMailboxRule } };
      responses: { 204: { content: never } };
    };
    /** Remove a rule */
    delete: {
      parameters: {
        query?: never;
        path: { project: string; id: string; part: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/mailboxes/{id}/blocked': {
    /** Refuse mail of a sender */
    post: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': BlockSender } };
      responses: { 204: { content: never } };
    };
    /** Take mail of a sender again */
    delete: {
      parameters: {
        query: { sender: string };
        path: { project: string; id: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/mailboxes/{id}/vacation': {
    /** Answer people who write while the owner is away */
    put: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': MailboxVacation } };
      responses: { 204: { content: never } };
    };
    /** Answer nobody any more */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/mailboxes/{id}/forwarding': {
    /** Forward what comes from now on */
    put: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': MailboxForwarding } };
      responses: { 204: { content: never } };
    };
    /** Forward nothing any more, but what rules forward */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/aliases': {
    /** Aliases of a project */
    get: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DashboardAliasList } } };
    };
    /** Make an alias */
    post: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': CreateAlias } };
      responses: { 201: { content: { 'application/json': Alias } } };
    };
  };
  '/projects/{project}/aliases/{id}': {
    /** Change where an alias leads to */
    patch: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: { content: { 'application/json': UpdateAlias } };
      responses: { 200: { content: { 'application/json': Alias } } };
    };
    /** Delete an alias */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/file-links': {
    /** Large files that mailboxes sent as links, the newest first */
    get: {
      parameters: {
        query?: { cursor?: string | undefined };
        path: { project: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': DashboardFileLinkList } } };
    };
  };
  '/projects/{project}/file-links/{id}': {
    /** Revoke a file link of a mailbox */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/suppressions': {
    /** Search the addresses that get no more mail, newest first */
    get: {
      parameters: {
        query?: {
          limit?: number | undefined;
          cursor?: string | undefined;
          q?: string | undefined;
          reason?: 'manual' | 'unsubscribe' | 'bounce' | 'complaint' | undefined;
        };
        path: { project: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': SuppressionList } } };
    };
    /** Send no more mail to addresses */
    post: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': AddSuppressions } };
      responses: { 200: { content: { 'application/json': AddedSuppressions } } };
    };
  };
  '/projects/{project}/suppressions/why': {
    /** Tell why an address gets no more mail */
    get: {
      parameters: { query: { address: string }; path: { project: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': ExplainedSuppression } } };
    };
  };
  '/projects/{project}/suppressions/removal': {
    /** Send mail to addresses again */
    post: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': RemoveSuppressions } };
      responses: { 200: { content: { 'application/json': RemovedSuppressions } } };
    };
  };
  '/projects/{project}/suppressions/import': {
    /** Add the addresses of a piece of a file */
    post: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': ImportSuppressions } };
      responses: { 200: { content: { 'application/json': ImportedSuppressions } } };
    };
  };
  '/projects/{project}/suppressions/export': {
    /** Export the addresses that get no more mail */
    get: {
      parameters: {
        query: {
          q?: string | undefined;
          reason?: 'manual' | 'unsubscribe' | 'bounce' | 'complaint' | undefined;
          format: 'csv' | 'ndjson';
        };
        path: { project: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/octet-stream': string } } };
    };
  };
  '/projects/{project}/directory': {
    /** Search the directory of a project, by name */
    get: {
      parameters: {
        query?: {
          q?: string | undefined;
          source?: 'manual' | 'mailbox' | 'shared' | undefined;
          limit?: number | undefined;
          cursor?: string | undefined;
        };
        path: { project: string };
        header?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': FoundPeople } } };
    };
    /** Add a person to the directory */
    post: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': CreatePerson } };
      responses: { 201: { content: { 'application/json': Person } } };
    };
  };
  '/projects/{project}/directory/{id}': {
    /** Change a person who was added by hand */
    patch: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: { content: { 'application/json': ChangePerson } };
      responses: { 200: { content: { 'application/json': Person } } };
    };
    /** Delete a person who was added by hand */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
  '/projects/{project}/shares': {
    /** List whose directories a project sees, and who sees its own */
    get: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': Shares } } };
    };
    /** Let another project see the directory of this one */
    post: {
      parameters: { query?: never; path: { project: string }; header?: never; cookie?: never };
      requestBody: { content: { 'application/json': CreateShare } };
      responses: { 201: { content: { 'application/json': CreatedShare } } };
    };
  };
  '/projects/{project}/shares/{id}': {
    /** Stop sharing the directory with another project */
    delete: {
      parameters: { query?: never; path: { project: string; id: string }; header?: never; cookie?: never };
      requestBody?: never;
      responses: { 204: { content: never } };
    };
  };
}
