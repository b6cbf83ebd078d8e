import type { EventFact } from '../../contract/events.ts';
import type { DsnRequest } from '../../rfc/smtp/dsn-parameters.ts';

/**
 * The boundary of delivery. A provider takes one composed message for one recipient and returns the outcome of the attempt. Expected
 * failures are outcomes; a rejected promise is a bug in the provider.
 */
export interface Provider {
  send(message: OutboundMessage): Promise<Outcome>;
  /**
   * Delivers the message to a mailbox of its own project, and nowhere else. Null: the recipient is not such a mailbox. Absent: the provider
   * has no mailboxes.
   */
  sendLocally?(message: OutboundMessage): Promise<Outcome | null>;
  /**
   * The number of messages that the provider can have in flight: 0 while the remote server is known to be unavailable, 1 for a probe after
   * that, otherwise enough to use all connections.
   */
  readonly capacity: number;
  /**
   * True: the provider delivers to the recipient's own server, whose 250 means `delivered` and whose rejection means `bounced`. False: the
   * provider delivers to a server in transit, whose 250 only means `sent` and whose rejection means `failed` (docs/contract.md, Outcomes).
   */
  readonly isFinal: boolean;
  /** Null if all mail is sent to one server. */
  readonly destinations: Destinations | null;
  /**
   * Header fields that the remote server replaces, in lower case. These fields are not signed, because replacing them would break the
   * signature. Absent: none.
   */
  readonly overwrites?: readonly string[];
  /** Ends idle connections, without waiting for messages in flight. */
  close(): Promise<void>;
}

/** Destinations with separate queues, so that mail for one destination never waits for another. */
export interface Destinations {
  /** The number of further messages for the destination that should be in flight now. */
  capacityLeft(destination: string): number;
  /** The maximum number of connections for all destinations together. */
  readonly maxConnections: number;
  /**
   * Whether this worker may use the destination, as far as the worker knows. A destination may allow fewer connections than there are
   * workers.
   */
  hasSlot(destination: string): boolean;
}

export interface OutboundMessage {
  projectId: string;
  /** UUID of the email or submission. */
  emailId: string;
  /** Reverse-path of the envelope (RFC 5321, section 4.1.1.2), without angle brackets. */
  mailFrom: string;
  /** Forward-path of the envelope, without angle brackets. */
  rcptTo: string;
  messageId: string;
  /** The whole message with CRLF line ends, not dot-stuffed. It ends with CRLF. */
  data: Buffer;
  /** Whether the header needs the SMTPUTF8 extension (RFC 6531). A forward-path with non-ASCII characters needs the extension too. */
  smtputf8: boolean;
  /** Whether a local mailbox forwards the message. Any person may have written a forwarded message. */
  isForwarded?: boolean;
  /** Whether the message is forwarded because a user redirects it. The user may have written all of its header. */
  isRedirect?: boolean;
  /** Whether the message is service mail. `emailId` is then the id of its submission. */
  isService?: boolean;
  /** Whether the message contains a link that opens an account. It is sealed at rest, and no other copy of it may be stored. */
  isSealed?: boolean;
  /** The delivery reports that the sender requested, for servers that support the request. Absent: none. */
  dsn?: DsnRequest;
  /** The number of the attempt. The first attempt is 1. */
  attempt: number;
  /**
   * Called in the same tick of the event loop as the write of the final dot. False: the lease is lost, so the dot must not be written, the
   * connection is dropped, and the outcome is `abandoned`.
   */
  mayCommit(): boolean;
}

/** The reply of the remote server. `replyCode` is null if there was no reply (no connection, or a timeout). */
export interface AttemptReply {
  replyCode: number | null;
  /** An enhanced code (RFC 3463), such as `5.1.1`. */
  enhancedCode: string | null;
  /** The text of the reply or the error, for people. At most 1,000 characters. */
  text: string;
  remoteMta: string | null;
  tls: boolean;
  /** The dialogue in order. Null if there was no connection. The property may be a getter, which spreading the object would lose. */
  dialogue: readonly ProviderDialogueLine[] | null;
  /** Explains why the message was sent to this server, if that is not obvious. */
  note?: string;
  /** Whether the sandbox made up the reply. No server was contacted. */
  isSimulated?: true;
}

/** A line of an SMTP dialogue, for people: printable, shortened and without secrets. */
export interface ProviderDialogueLine {
  /** Milliseconds since the attempt began. */
  atMs: number;
  /** The side that sent the line. `note` is an event instead of a line: connected, TLS, 2,048 octets of content. */
  by: 'client' | 'server' | 'note';
  text: string;
}

/** The steps of a mail transaction that get a reply (RFC 5321, section 3.3). */
export type SmtpStep = 'mail' | 'rcpt' | 'data' | 'dot';

export type Outcome =
  /** The remote server took responsibility for the message. `later` lists the stages after `sent` that the provider already knows of. */
  (
    | {
        outcome: 'accepted';
        reply: AttemptReply;
        providerMessageId: string | null;
        later?: readonly LaterStage[];
        /** Whether the server got the `dsn` request, and therefore sends the requested success notices itself (RFC 3461, section 5.2.1). */
        reportsSuccessItself?: true;
      }
    /**
     * A retry may succeed. Scope `host`: the remote server (or the destination, if the provider has destinations) is unavailable or accepts
     * no mail for now. Scope `sender`: the server may reject only this sender. Scope `message`: the server rejects this message.
     */
    | {
        outcome: 'transient';
        reply: AttemptReply;
        scope: 'message' | 'sender' | 'host';
        retryAfterMs?: number;
      }
    /**
     * `step` is the step that got the reply, if known. `dot` means that the whole message was rejected. `needsSevenBit`: the server accepts
     * only ASCII, so nothing was sent to it, and the same message in ASCII may be accepted.
     */
    | { outcome: 'permanent'; reply: AttemptReply; step?: SmtpStep; needsSevenBit?: true }
    /**
     * No host accepts the mail: the domain does not exist or accepts no mail. `bestHosts` are the most preferred MX hosts of the domain, in
     * lower case, if the provider knows them. The list is empty if the domain's MX records name no host.
     */
    | {
        outcome: 'unroutable';
        reason: 'no_such_domain' | 'no_route';
        reply: AttemptReply;
        bestHosts?: readonly string[] | undefined;
      }
    /**
     * The lease was lost before the final dot, so nothing was handed over and nothing may be recorded. `isElsewhere`: this worker may not
     * use the destination, so no attempt was begun, and another worker must send the message.
     */
    | { outcome: 'abandoned'; isElsewhere?: true }
  ) & {
    /**
     * Whether the message was delivered locally, to a mailbox of this instance. Such an outcome is final, whatever the provider, and does
     * not concern a destination.
     */
    isLocal?: true;
  };

export type TransientOutcome = Extract<Outcome, { outcome: 'transient' }>;

/** A stage of the recipient after `sent`. */
export type LaterStage = EventFact<'delivered' | 'opened' | 'clicked' | 'bounced' | 'complained'>;
