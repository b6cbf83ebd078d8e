/**
 * What one port does otherwise than the other: reception, where anybody writes to the mailboxes of this instance (`reception.ts`), and submission,
 * where those who sign in write to anybody (`submission/`). The session, its grammar and its bounds are the same.
 */
import type { ReadContent } from '../../rfc/smtp/content-buffer.ts';
import type { MailParameters, RcptParameters } from '../../rfc/smtp/parse-command.ts';
import type { SaslExchange } from '../../rfc/sasl/mechanisms.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';

/** The sender and the recipients of a message. */
export interface Envelope<Addressee> extends Omit<MailParameters, 'hasAuthor'> {
  reversePath: string;
  /** Addresses and header fields may go beyond ASCII (RFC 6531). */
  isUtf8: boolean;
  /** In the order of RCPT. */
  recipients: ({ forwardPath: string; addressee: Addressee } & RcptParameters)[];
  /** What the client calls itself. */
  helo: string;
  /** It said EHLO. */
  isExtended: boolean;
}

/** What is known of a message beside its content. */
export interface SmtpArrival<Addressee> extends Envelope<Addressee> {
  client: {
    /** IP address; empty when the connection was over before it was known. */
    address: string;
    tls: ClientConnection['tls'];
  };
}

/** As MAIL and RCPT gave them, without brackets. */
export interface Paths {
  /** Empty for reports. Any client can write anything there. */
  reversePath: string;
  forwardPath: string;
  /** What MAIL declared, in octets (RFC 1870). */
  size: number | null;
}

/** A line as it is sent, with its codes and without CRLF. */
export type PolicyReply = string;

/** One for each connection. Nothing of it rejects: what cannot be known at the moment has a reply, too. */
export interface SmtpPolicy<Addressee> extends Disposable {
  /** To HELP. */
  readonly help: PolicyReply;
  /**
   * Clients sign in. So they may give the parameters of DSN and AUTH, and each accepted message resets the count of their errors.
   */
  readonly signsIn: boolean;
  /** What EHLO offers at the moment beside what the session does by itself. */
  keywords(): readonly string[];
  /** To AUTH. An exchange ends in `signIn`. */
  beginAuth(mechanism: string): SaslExchange | PolicyReply;
  /** To what was said last in an exchange. */
  signIn(credentials: { user: string; password: string }): Promise<PolicyReply>;
  /** Why there is no message from that sender; null: go on. */
  refuseSender(reversePath: string): Promise<PolicyReply | null>;
  /** Who gets mail to an address. @param taken whom the message is for already */
  route(
    paths: Paths,
    taken: readonly Addressee[],
  ): Promise<{ addressee: Addressee } | { refusal: PolicyReply }>;
  /** Resolves when what the message means is committed, or what was read of it is not taken. */
  receive(arrival: SmtpArrival<Addressee>, content: ReadContent): Promise<PolicyReply>;
  /** TLS is on: what was said in the clear is forgotten. */
  secured(): void;
}
