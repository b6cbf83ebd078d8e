import type { Arrival } from '../authenticate/authentication.ts';

/** A received message, and what is known about the client that sent it. */
export interface MailFromOutside {
  /** The client's IP address; empty if unknown. */
  address: string;
  /** The client's name from EHLO or HELO. */
  helo: string;
  /** Whether the client said EHLO. */
  isExtended: boolean;
  tls: { protocol: string; cipher: string } | null;
  /** Without angle brackets; empty if the sender wants no delivery report. */
  reversePath: string;
  /** Whether it was sent with SMTPUTF8 (RFC 6531). */
  isUtf8: boolean;
  /** All lines end with CRLF. */
  raw: Buffer;
  /** See `Arrival`. */
  isOwn?: boolean;
  /** The original client, which is the one that is examined, when a mailbox here forwards the message. Default: the client above. */
  origin?: Pick<Arrival, 'address' | 'helo' | 'mailFrom'>;
  /** Whether a mailbox here forwarded the message. */
  isForwarded?: boolean;
  /** The service itself wrote and delivered it here, so it is neither forwarded nor answered. */
  isService?: boolean;
  /** See `NewMessage`. */
  objectId?: string;
}
