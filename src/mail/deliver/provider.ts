/**
 * The boundary of delivery. A provider takes one composed message for some recipients and says, per recipient,
 * what became of it. Expected outcomes are values; a rejection is a bug of the provider.
 */
export interface Provider {
  /** One outcome per recipient, in order. */
  send(message: OutboundMessage): Promise<Outcome[]>;
  /**
   * How many messages the provider makes use of at once: 0 while the far side is known to be away, 1 for a probe
   * after that, else as many as keep its connections busy.
   */
  readonly capacity: number;
  /** Ends idle connections; what is in flight is not waited for. */
  close(): Promise<void>;
}

export interface OutboundMessage {
  projectId: string;
  /** uuid */
  emailId: string;
  /** Reverse-path of the envelope (RFC 5321, section 4.1.1.2), without angle brackets. */
  mailFrom: string;
  /** Forward-paths, without angle brackets. */
  rcptTo: readonly string[];
  messageId: string;
  /** The whole message with CRLF line ends, not dot-stuffed. It ends with CRLF. */
  data: Buffer;
  /** The header needs the SMTPUTF8 extension (RFC 6531). A forward-path beyond ASCII needs it too, for itself. */
  smtputf8: boolean;
  /** Which try this is, from 1. */
  attempt: number;
  /**
   * Asked in the same turn as the write of the final dot. False when the lease is gone: then the dot must
   * not be written, the connection is dropped, and the outcome is `abandoned`.
   */
  mayCommit(): boolean;
}

/** What the far side said. `replyCode` is null when nothing was said (no connection, a time-out). */
export interface AttemptReply {
  replyCode: number | null;
  /** RFC 3463, for example `5.1.1`. */
  enhancedCode: string | null;
  /** For people: the reply's text, or what went wrong. At most 1,000 characters. */
  text: string;
  remoteMta: string | null;
  tls: boolean;
}

export type Outcome =
  /** The far side took responsibility; `later` is what the provider already knows of the stages after `sent`. */
  | {
      outcome: 'accepted';
      reply: AttemptReply;
      providerMessageId: string | null;
      later?: readonly LaterStage[];
    }
  /** Worth another try. `host` when the far side as a whole is away, not this message refused. */
  | { outcome: 'transient'; reply: AttemptReply; scope: 'message' | 'host'; retryAfterMs?: number }
  | { outcome: 'permanent'; reply: AttemptReply }
  /** The lease was gone before the final dot: nothing was handed over and nothing may be recorded. */
  | { outcome: 'abandoned' };

export interface LaterStage {
  stage: 'delivered' | 'opened' | 'clicked' | 'bounced' | 'complained';
  /** The event's payload as `docs/webhooks.md` shapes it. */
  detail: Record<string, unknown>;
}
