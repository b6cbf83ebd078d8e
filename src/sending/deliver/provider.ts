import type { EventFact } from '../../contract/events.ts';
import type { DsnRequest } from '../../rfc/smtp/dsn-parameters.ts';

/**
 * The boundary of delivery. A provider takes one composed message for one recipient and reports how its attempt ended.
 * Expected outcomes are values; a rejection is a bug of the provider.
 */
export interface Provider {
  send(message: OutboundMessage): Promise<Outcome>;
  /**
   * Delivers the message to a mailbox of its own project, and never elsewhere. Null: the recipient is not such a mailbox. Absent:
   * the provider knows no mailboxes.
   */
  sendWithin?(message: OutboundMessage): Promise<Outcome | null>;
  /**
   * How many messages the provider can take at once: 0 while the other server is known to be unavailable, 1 for a probe
   * after that, otherwise enough to keep its connections busy.
   */
  readonly capacity: number;
  /**
   * Whether the provider delivers to the recipient's own server: its 250 is `delivered`, its rejection is `bounced`. Otherwise
   * the provider delivers to a server in transit: its 250 is only `sent`, its rejection is `failed` (docs/contract.md, Outcomes).
   */
  readonly isFinal: boolean;
  /** Null if all mail goes to one server. */
  readonly destinations: Destinations | null;
  /** Header fields that the other server replaces, in lower case: signing them would break the signature. Absent: none. */
  readonly overwrites?: readonly string[];
  /** Ends idle connections, without waiting for messages in flight. */
  close(): Promise<void>;
}

/** Destinations with separate queues, so that mail for one never waits for another. */
export interface Destinations {
  /** How many more messages for the destination are useful in flight now. */
  capacityLeft(destination: string): number;
  /** The maximum number of connections for all destinations together. */
  readonly maxConnections: number;
  /** Whether this worker may use the destination, as far as is known: a destination may allow fewer connections than there are workers. */
  hasSlot(destination: string): boolean;
}

export interface OutboundMessage {
  projectId: string;
  /** uuid */
  emailId: string;
  /** Reverse-path of the envelope (RFC 5321, section 4.1.1.2), without angle brackets. */
  mailFrom: string;
  /** Forward-path, without angle brackets. */
  rcptTo: string;
  messageId: string;
  /** The whole message with CRLF line ends, not dot-stuffed. It ends with CRLF. */
  data: Buffer;
  /** The header needs the SMTPUTF8 extension (RFC 6531). A forward-path beyond ASCII needs it too. */
  smtputf8: boolean;
  /** A local mailbox forwards the message: its author can be anyone. */
  isForwarded?: boolean;
  /** The message is service mail: `emailId` is its submission. */
  isService?: boolean;
  /** The message has a link that opens an account, and is sealed at rest: no other copy may be stored. */
  isSealed?: boolean;
  /** The delivery reports that the sender requested, for servers that support them. Absent: none. */
  dsn?: DsnRequest;
  /** The number of the attempt, from 1. */
  attempt: number;
  /**
   * Called in the same turn of the event loop as the write of the final dot. False if the lease is lost: then the dot must
   * not be written, the connection is dropped, and the outcome is `abandoned`.
   */
  mayCommit(): boolean;
}

/** The reply of the other server. `replyCode` is null without a reply (no connection, a timeout). */
export interface AttemptReply {
  replyCode: number | null;
  /** RFC 3463, for example `5.1.1`. */
  enhancedCode: string | null;
  /** For people: the text of the reply, or the error. At most 1,000 characters. */
  text: string;
  remoteMta: string | null;
  tls: boolean;
  /** The dialogue in order; null if there was no connection. The property may be a getter, which is lost in a copy by spreading. */
  dialogue: readonly ProviderDialogueLine[] | null;
  /** Why the message was sent to this server, if that needs an explanation. */
  note?: string;
}

/** A line of an SMTP dialogue, for people: printable, shortened, without secrets. */
export interface ProviderDialogueLine {
  /** Milliseconds since the attempt began. */
  atMs: number;
  /** The speaker. `note` is an event without words: connected, TLS, 2,048 octets of content. */
  by: 'client' | 'server' | 'note';
  text: string;
}

/** The steps of a mail transaction that get a reply (RFC 5321, section 3.3). */
export type SmtpStep = 'mail' | 'rcpt' | 'data' | 'dot';

export type Outcome =
  /** The other server took responsibility. `later` has the stages after `sent` that the provider already knows. */
  (
    | {
        outcome: 'accepted';
        reply: AttemptReply;
        providerMessageId: string | null;
        later?: readonly LaterStage[];
        /** The server got the `dsn` request and sends requested success notices itself (RFC 3461, section 5.2.1). */
        isPassedOn?: true;
      }
    /**
     * A retry may succeed. Scope `host`: the other server (with destinations, the destination) as a whole is unavailable or
     * accepts no mail for now. `sender`: the server may reject only this sender. `message`: it rejects this message.
     */
    | {
        outcome: 'transient';
        reply: AttemptReply;
        scope: 'message' | 'sender' | 'host';
        retryAfterMs?: number;
      }
    /** `step` is the step that got the reply, if known; `dot` is the message as a whole. */
    | { outcome: 'permanent'; reply: AttemptReply; step?: SmtpStep }
    /**
     * No host accepts the mail: the domain does not exist or accepts no mail. `bestHosts` are the domain's MX hosts with the best preference, if the
     * provider knows them: lower case, empty for a domain whose MX records name no host.
     */
    | {
        outcome: 'unroutable';
        reason: 'no_such_domain' | 'no_route';
        reply: AttemptReply;
        bestHosts?: readonly string[] | undefined;
      }
    /**
     * The lease was lost before the final dot: nothing was handed over, and nothing may be recorded. `isElsewhere`: this worker
     * may not use the destination, so nothing was begun, and another worker must send the message.
     */
    | { outcome: 'abandoned'; isElsewhere?: true }
  ) & {
    /** Local delivery to a mailbox of this instance: final, whatever the provider, and says nothing about a destination. */
    isInside?: true;
  };

export type TransientOutcome = Extract<Outcome, { outcome: 'transient' }>;

/** What happened to the recipient after `sent`. */
export type LaterStage = EventFact<'delivered' | 'opened' | 'clicked' | 'bounced' | 'complained'>;
