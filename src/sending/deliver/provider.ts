import type { EventFact } from '../../contract/events.ts';
import type { DsnRequest } from '../../rfc/smtp/dsn-parameters.ts';

/**
 * The boundary of delivery. A provider takes one composed message for one recipient and says how its attempt ended.
 * Expected outcomes are values; a rejection is a bug of the provider.
 */
export interface Provider {
  send(message: OutboundMessage): Promise<Outcome>;
  /**
   * Hands the message over to a mailbox of its own project, and never further. Null: the recipient is none. Absent: there are no
   * mailboxes to know of.
   */
  sendWithin?(message: OutboundMessage): Promise<Outcome | null>;
  /**
   * How many messages the provider makes use of at once: 0 while the far side is known to be away, 1 for a probe
   * after that, else as many as keep its connections busy.
   */
  readonly capacity: number;
  /**
   * Whether the far side is the recipient's own server: its 250 is `delivered`, its refusal is `bounced`. Otherwise it
   * is a server on the way, whose 250 is no more than `sent`, and whose refusal is `failed` (docs/contract.md, Outcomes).
   */
  readonly isFinal: boolean;
  /** Null where all mail goes the same way. */
  readonly destinations: Destinations | null;
  /** Header fields that the far side writes itself, in lower case: a signature over ours would break. Absent: none. */
  readonly overwrites?: readonly string[];
  /** Ends idle connections; what is in flight is not waited for. */
  close(): Promise<void>;
}

/** Mail for each destination waits for nobody else's. */
export interface Destinations {
  /** How many more messages for the destination it makes sense to have in flight now. */
  capacityLeft(destination: string): number;
  /** Connections that there may be for all destinations together. */
  readonly maxConnections: number;
  /** Whether this worker may use the destination at all, as far as is known: it may take less than there are workers. */
  hasPlace(destination: string): boolean;
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
  /** A mailbox here passes it on: its author is anybody. */
  isForwarded?: boolean;
  /** The service itself wrote it: `emailId` is its submission. */
  isService?: boolean;
  /** It holds a link that opens an account, and is sealed at rest: no copy of it is stored. */
  isSealed?: boolean;
  /** What a mailbox wants to hear of the delivery, for far sides that can report on it. Absent: nothing is asked for. */
  dsn?: DsnRequest;
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
  /** What was said, in order; null where there was no one to talk to. It may be a getter, which a copy by spreading loses. */
  dialogue: readonly ProviderDialogueLine[] | null;
  /** Why the message went to this far side, where that needs an explanation. */
  note?: string;
}

/** A line of an SMTP dialogue, for people: printable, shortened, without secrets. */
export interface ProviderDialogueLine {
  /** Milliseconds since the attempt began. */
  atMs: number;
  /** Who speaks; `note` is what happened without words: connected, TLS, 2,048 octets of content. */
  by: 'client' | 'server' | 'note';
  text: string;
}

/** The steps of a mail transaction that are answered (RFC 5321, section 3.3). */
export type SmtpStep = 'mail' | 'rcpt' | 'data' | 'dot';

export type Outcome =
  /** The far side took responsibility; `later` is what the provider already knows of the stages after `sent`. */
  (
    | {
        outcome: 'accepted';
        reply: AttemptReply;
        providerMessageId: string | null;
        later?: readonly LaterStage[];
        /** It was told of `dsn`: who asked to hear of success hears it from there (RFC 3461, section 5.2.1). */
        isPassedOn?: true;
      }
    /**
     * Worth another try. `host` when the far side (with destinations, the destination) as a whole is away or wants nothing
     * for now, `sender` when it may want nothing of this sender alone; else this message is refused.
     */
    | {
        outcome: 'transient';
        reply: AttemptReply;
        scope: 'message' | 'sender' | 'host';
        retryAfterMs?: number;
      }
    /** `step` is what it was the answer to, where that is known; `dot` is the message as a whole. */
    | { outcome: 'permanent'; reply: AttemptReply; step?: SmtpStep }
    /**
     * No host takes the mail: the domain does not exist, or takes no mail. `bestHosts` are its MX hosts with the best preference, where the provider
     * knows them: lower case, empty for a domain whose MX records name no host.
     */
    | {
        outcome: 'unroutable';
        reason: 'no_such_domain' | 'no_route';
        reply: AttemptReply;
        bestHosts?: readonly string[] | undefined;
      }
    /**
     * The lease was gone before the final dot: nothing was handed over and nothing may be recorded. `isElsewhere`: this worker
     * has no place at the destination, so nothing was begun, and the message is for one that has.
     */
    | { outcome: 'abandoned'; isElsewhere?: true }
  ) & {
    /** The far side is a mailbox of this instance: final, whatever the provider, and no word about a destination. */
    isInside?: true;
  };

export type TransientOutcome = Extract<Outcome, { outcome: 'transient' }>;

/** What happened to the recipient after `sent`. */
export type LaterStage = EventFact<'delivered' | 'opened' | 'clicked' | 'bounced' | 'complained'>;
