/** An SMTP server on real sockets. It stores accepted messages, replies as configured at any stage, and records clients' violations. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { ReceivedMessage, SmtpServerOptions } from './smtp-server-options.ts';
import { SmtpServerSession } from './smtp-server-session.ts';

export type { SmtpServerOptions, Stage, StageReply } from './smtp-server-options.ts';

export interface SmtpTestServer extends AsyncDisposable {
  readonly port: number;
  /** Accepted messages, in order. */
  readonly messages: ReceivedMessage[];
  /** The actions of clients that RFC 5321 or an extension forbids. */
  readonly violations: string[];
  /** The number of connections so far. */
  readonly connections: number;
  /** The number of open connections. Excludes connections that got the reply to QUIT: the client may connect again before they close. */
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
  const quitting = new Set<Socket>();
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
        reject(new Error(`After ${timeoutMs} ms: ${what()}`));
      }, timeoutMs);
      waiters.add(waiter);
      check();
    });

  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      quitting.delete(socket);
      check();
    });
    new SmtpServerSession(socket, connections, options, {
      received: (message) => {
        messages.push(message);
        check();
      },
      violation: (text) => violations.push(text),
      quit: () => sockets.has(socket) && quitting.add(socket),
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
      return sockets.size - quitting.size;
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
