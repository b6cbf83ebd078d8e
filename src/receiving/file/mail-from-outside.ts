import type { Arrival } from '../authenticate/authentication.ts';

/** A received message, and the data about the client that sent it. */
export interface MailFromOutside {
  /** The client's IP address; empty if unknown. */
  address: string;
  /** The client's name from EHLO or HELO. */
  helo: string;
  /** Whether the client said EHLO. */
  isExtended: boolean;
  tls: { protocol: string; cipher: string } | null;
  /** The return path without angle brackets. Empty if the sender wants no delivery report. */
  reversePath: string;
  /** Whether the message was sent with SMTPUTF8 (RFC 6531). */
  isUtf8: boolean;
  /** ENVID, for reports of success. Absent or null: the sender gave none. */
  envelopeId?: string | null;
  /** The message. All lines end with CRLF. */
  raw: Buffer;
  /** See `Arrival`. */
  isOwn?: boolean;
  /** The project of this installation that sent or redirected the message. Absent for mail from outside, also if it is forwarded. */
  senderProjectId?: string;
  /** The original client, which is examined if a mailbox here forwards the message. Default: the client of the connection. */
  origin?: Pick<Arrival, 'address' | 'helo' | 'mailFrom'>;
  /** Whether a mailbox here forwarded the message. */
  isForwarded?: boolean;
  /** Whether the service itself wrote and delivered the message here. If so, the message is neither forwarded nor answered. */
  isService?: boolean;
  /** See `NewMessage`. */
  objectId?: string;
}
