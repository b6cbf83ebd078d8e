/**
 * The differences between the SMTP ports. Reception (`reception.ts`) accepts mail of any sender for the mailboxes of this installation.
 * Submission (`submission/`) accepts mail of signed-in users for any recipient. Session, grammar and limits are shared.
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

/** The addresses of MAIL and RCPT, without angle brackets. */
export interface Paths {
  /** The sender. Empty for reports. The sender is not authenticated: any client can write any address. */
  reversePath: string;
  forwardPath: string;
  /** The size that MAIL declared, in octets (RFC 1870). */
  size: number | null;
}

/** A reply with its codes, without the last CRLF. */
export type PolicyReply = string;

/** The policy of one connection. Its methods never reject: temporary failures have replies, too. */
export interface SmtpPolicy<Addressee> extends Disposable {
  /** The reply to HELP. */
  readonly help: PolicyReply;
  /** Whether clients sign in. If so, MAIL and RCPT accept the parameters of DSN and AUTH, and an accepted message resets the error count. */
  readonly signsIn: boolean;
  /** Keywords for EHLO in addition to those of the session. They can change during the session. */
  keywords(): readonly string[];
  /** Begins AUTH, or rejects it. */
  beginAuth(mechanism: string): SaslExchange | PolicyReply;
  /** Verifies the credentials at the end of an exchange. */
  signIn(credentials: { user: string; password: string }): Promise<PolicyReply>;
  /** @returns why the sender is rejected; null if it is accepted */
  checkSender(reversePath: string): Promise<PolicyReply | null>;
  /** Finds the addressee of an address. @param accepted the addressees that the message already has */
  route(
    paths: Paths,
    accepted: readonly Addressee[],
  ): Promise<{ addressee: Addressee } | { refusal: PolicyReply }>;
  /** Resolves once the message is committed or rejected. */
  receive(arrival: SmtpArrival<Addressee>, content: ReadContent): Promise<PolicyReply>;
  /** Called once TLS is active. Discards the state from before TLS. */
  secured(): void;
}
