import type { Arrival } from '../authenticate/authentication.ts';

/** A message as it came, and what is known of whoever brought it. */
export interface MailFromOutside {
  /** IP address; empty when it is not known. */
  address: string;
  /** What the client calls itself. */
  helo: string;
  /** It said EHLO. */
  isExtended: boolean;
  tls: { protocol: string; cipher: string } | null;
  /** Without brackets; empty: it wants no report. */
  reversePath: string;
  /** It came with SMTPUTF8 (RFC 6531). */
  isUtf8: boolean;
  /** Lines that end with CRLF. */
  raw: Buffer;
  /** As in `Arrival`. */
  isOwn?: boolean;
  /** Where it came from first, which is what is examined, when a mailbox here passes it on. Default: from whoever brings it. */
  origin?: Pick<Arrival, 'address' | 'helo' | 'mailFrom'>;
  /** A mailbox here passes it on. */
  isForwarded?: boolean;
  /** The service itself wrote it, and hands it over here: it is neither forwarded nor answered. */
  isService?: boolean;
  /** As in `NewMessage`. */
  objectId?: string;
}
