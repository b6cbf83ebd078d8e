/**
 * An SMTP server over real sockets for tests. It keeps what it accepts, can be told to answer anything at any
 * stage, and writes down where a client breaks the protocol.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { SmtpServerSession } from './smtp-server-session.ts';

/** `handshake` comes before TLS begins, `dot` is the end of the data, `auth` the end of a login. */
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

/** A whole reply without its last CRLF, or the name of a `Fault`; undefined leaves the answer to the server. */
export type StageReply = string | undefined;

interface StageContext {
  /** From 1, in the order of arrival. */
  readonly connection: number;
  /** Messages accepted on this connection so far. */
  readonly messages: number;
  readonly tls: boolean;
  /** Bytes that were sent after this command before its reply. */
  readonly buffered: number;
  /** Reads nothing more: what the client sends piles up in the network, and then with the client. */
  pause(): void;
  /** Ends the connection. What the hook returns still counts, but the client does not hear of it. */
  close(): void;
}

export interface SmtpServerOptions {
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 0: a free one. */
  port?: number;
  /** Default true. */
  pipelining?: boolean;
  /** Default 0: SIZE without a limit. Null: not offered. */
  size?: number | null;
  /** Default true. */
  smtpUtf8?: boolean;
  /** Default true. */
  eightBitMime?: boolean;
  /** PEM texts, and what the server is able to; offers STARTTLS. Default: no TLS. */
  tls?: { cert: string; key: string } & Pick<SecureContextOptions, 'minVersion' | 'maxVersion' | 'ciphers'>;
  /** TLS from the first byte instead of STARTTLS. Needs `tls`. */
  implicitTls?: boolean;
  /** Passwords by user name, and AUTH mechanisms (default PLAIN and LOGIN). Default: no AUTH. */
  auth?: { users: Record<string, string>; mechanisms?: string[] };
  /**
   * Called at each stage.
   * @param argument the address at `mail` and `rcpt`, the name at `ehlo` and `helo`, the user name at `auth`,
   *   else empty
   */
  reply?: (stage: Stage, argument: string, context: StageContext) => StageReply | Promise<StageReply>;
}

export interface ReceivedMessage {
  mailFrom: string;
  /** `SIZE=123`, `SMTPUTF8` and the like. */
  mailParameters: string[];
  rcptTo: string[];
  /** Without dot-stuffing. */
  data: Buffer;
  tls: boolean;
  helo: string;
  authenticated: string | null;
  /** Number of the connection, from 1. */
  connection: number;
}

export interface SmtpTestServer extends AsyncDisposable {
  readonly port: number;
  /** What was accepted, in that order. */
  readonly messages: ReceivedMessage[];
  /** What clients did that RFC 5321 or an extension forbids. */
  readonly violations: string[];
  /** Connections so far. */
  readonly connections: number;
  /** Connections that are open now. */
  readonly openConnections: number;
  /** Resolves once `count` messages are accepted. @throws Error after `timeoutMs` */
  waitForMessages(count: number, timeoutMs?: number): Promise<ReceivedMessage[]>;
  /** Resolves once no connection is open. @throws Error after `timeoutMs` */
  waitForNoConnection(timeoutMs?: number): Promise<void>;
  /** Ends every connection at once and stops listening. */
  stop(): Promise<void>;
}

interface Waiter {
  isMet(): boolean;
  resolve(): void;
}

export async function startSmtpServer(options: SmtpServerOptions = {}): Promise<SmtpTestServer> {
  const messages: ReceivedMessage[] = [];
  const violations: string[] = [];
  const sockets = new Set<Socket>();
  const waiters = new Set<Waiter>();
  let connections = 0;

  const check = (): void => {
    for (const waiter of waiters) if (waiter.isMet()) waiter.resolve();
  };
  const wait = (isMet: () => boolean, timeoutMs: number, what: () => string): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiter = {
        isMet,
        resolve: () => {
          clearTimeout(timer);
          waiters.delete(waiter);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        waiters.delete(waiter);
        reject(new Error(`after ${timeoutMs} ms: ${what()}`));
      }, timeoutMs);
      waiters.add(waiter);
      check();
    });

  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      check();
    });
    new SmtpServerSession(socket, connections, options, {
      received: (message) => {
        messages.push(message);
        check();
      },
      violation: (text) => violations.push(text),
    });
  });
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port,
    messages,
    violations,
    get connections() {
      return connections;
    },
    get openConnections() {
      return sockets.size;
    },
    async waitForMessages(count, timeoutMs = 5_000) {
      const what = (): string => `${messages.length} of ${count} messages`;
      await wait(() => messages.length >= count, timeoutMs, what);
      return messages;
    },
    async waitForNoConnection(timeoutMs = 5_000) {
      await wait(
        () => sockets.size === 0,
        timeoutMs,
        () => `${sockets.size} connections are open`,
      );
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
