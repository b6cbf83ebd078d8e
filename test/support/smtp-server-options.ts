/** Options of the test SMTP server, and the messages that it stores. */
import type { SecureContextOptions } from 'node:tls';

/** A stage of a session. `handshake`: before TLS begins. `dot`: at the end of the data. `auth`: at the end of a login. */
export type Stage =
  | 'connect'
  | 'ehlo'
  | 'helo'
  | 'starttls'
  | 'handshake'
  | 'auth'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'dot'
  | 'rset'
  | 'quit';

/** A whole reply without the last CRLF, or the name of a `Fault`. Undefined for the server's own reply. */
export type StageReply = string | undefined;

interface StageContext {
  /** The number of this connection among all connections to the server, from 1. */
  readonly connection: number;
  /** Messages accepted on this connection so far. */
  readonly messages: number;
  readonly tls: boolean;
  /** The number of bytes that the client sent after this command, before the reply. */
  readonly buffered: number;
  /** Stops reading, so that data from the client first fills the network's buffers, then the client's buffers. */
  pause(): void;
  /** Ends the connection. The hook's reply still has an effect, such as accepting a message, although the client does not receive it. */
  close(): void;
}

export interface SmtpServerOptions {
  /** The address to listen on. Default: 127.0.0.1. */
  host?: string;
  /** The port to listen on. Default: 0, which picks a free port. */
  port?: number;
  /** Whether PIPELINING is offered. Default: true. */
  pipelining?: boolean;
  /** The limit in SIZE. Default: 0, which means no limit. Null: SIZE is not offered. */
  size?: number | null;
  /** Whether SMTPUTF8 is offered. Default: true. */
  smtpUtf8?: boolean;
  /** Whether 8BITMIME is offered. Default: true. */
  eightBitMime?: boolean;
  /** Whether DSN is offered. Default: false. */
  dsn?: boolean;
  /** PEM texts and TLS settings; enables STARTTLS. Default: no TLS. */
  tls?: { cert: string; key: string } & Pick<SecureContextOptions, 'minVersion' | 'maxVersion' | 'ciphers'>;
  /** Whether TLS begins with the first byte instead of with STARTTLS. Requires `tls`. */
  implicitTls?: boolean;
  /** Passwords by user name, and AUTH mechanisms (default: PLAIN and LOGIN). Default: no AUTH. */
  auth?: { users: Record<string, string>; mechanisms?: string[] };
  /**
   * Called at each stage.
   * @param argument the address at `mail` and `rcpt`, the name at `ehlo` and `helo`, the user name at `auth`, otherwise empty
   */
  reply?: (stage: Stage, argument: string, context: StageContext) => StageReply | Promise<StageReply>;
}

export interface ReceivedMessage {
  mailFrom: string;
  /** `SIZE=123`, `SMTPUTF8` and the like. */
  mailParameters: string[];
  rcptTo: string[];
  /** `NOTIFY=NEVER` and the like, for each recipient. */
  rcptParameters: string[][];
  /** The message, without dot-stuffing. */
  data: Buffer;
  tls: boolean;
  helo: string;
  authenticated: string | null;
  /** The number of the connection, from 1. */
  connection: number;
}
