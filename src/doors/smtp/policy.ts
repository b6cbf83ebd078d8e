/**
 * The differences between the SMTP ports. Reception (`reception.ts`) accepts mail from any sender for the mailboxes of this installation.
 * Submission (`submission/`) accepts mail from signed-in users for any recipient. Both share the session, the
 * session limits and the grammar.
 */
import type { ReadContent } from '../../rfc/smtp/content-buffer.ts';
import type { MailParameters, RcptParameters } from '../../rfc/smtp/parse-command.ts';
import type { SaslExchange } from '../../rfc/sasl/mechanisms.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';

/** The sender and the recipients of a message. */
export interface Envelope<Addressee> extends Omit<MailParameters, 'hasAuthor'> {
  reversePath: string;
  /** Whether addresses and header fields may contain UTF-8 (RFC 6531). */
  isUtf8: boolean;
  /** The recipients, in the order of their RCPT commands. */
  recipients: ({ forwardPath: string; addressee: Addressee } & RcptParameters)[];
  /** The name in EHLO or HELO. */
  helo: string;
  /** Whether the client sent EHLO. */
  isExtended: boolean;
}

/** A received message without its content. */
export interface SmtpArrival<Addressee> extends Envelope<Addressee> {
  client: {
    /** The client's IP address. Empty if the connection ended before the address was known. */
    address: string;
    tls: ClientConnection['tls'];
  };
}

/** The addresses in MAIL and RCPT, without angle brackets. */
export interface Paths {
  /** The address of the sender. Empty for delivery reports. Not authenticated: any client can write any address. */
  reversePath: string;
  forwardPath: string;
  /** The size that MAIL declared, in octets (RFC 1870). Null if MAIL declared no size. */
  size: number | null;
}

/** A reply with its codes, without the last CRLF. */
export type PolicyReply = string;

/** The policy of one connection. The promises of its methods never reject; a temporary failure resolves to a reply. */
export interface SmtpPolicy<Addressee> extends Disposable {
  /** The reply to HELP. */
  readonly help: PolicyReply;
  /** Whether clients sign in. With sign-in, MAIL accepts the parameter AUTH. */
  readonly signsIn: boolean;
  /** The keywords to add to those that every EHLO reply has. They can change during a session. */
  keywords(): readonly string[];
  /** Begins an AUTH exchange. @returns the exchange, or the reply that rejects the mechanism */
  beginAuth(mechanism: string): SaslExchange | PolicyReply;
  /** Verifies the credentials at the end of an AUTH exchange. @returns the reply to AUTH */
  signIn(credentials: { user: string; password: string }): Promise<PolicyReply>;
  /** @returns the reply that rejects the sender; null if the sender is accepted */
  checkSender(reversePath: string): Promise<PolicyReply | null>;
  /** Finds the addressee for an address. @param accepted the addressees that the message already has */
  route(
    paths: Paths,
    accepted: readonly Addressee[],
  ): Promise<{ addressee: Addressee } | { refusal: PolicyReply }>;
  /** Resolves once the message is committed or rejected. @returns the reply to the message */
  receive(arrival: SmtpArrival<Addressee>, content: ReadContent): Promise<PolicyReply>;
  /** Called once TLS is active. Discards all state from before TLS. */
  onSecured(): void;
}
