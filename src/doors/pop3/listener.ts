/** The POP3 ports. */
import { pop3Connections, pop3GaveWay, pop3Sessions } from '../../observe/instruments.ts';
import type { ListenAddress } from '../tcp/listen.ts';
import { type ProxyProtocol, startTcpListener } from '../tcp/listener.ts';
import { REPLIES } from './replies.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import { authorize, type AuthorizeOptions } from './authorize.ts';
import { transact, type TransactOptions } from './transact.ts';

/** The options of a connection. It runs commands one at a time, in order, while pipelined commands wait in the network buffers. */
interface Pop3Options extends AuthorizeOptions, TransactOptions {
  hostname: string;
  /** Time limit for sign-in. A connection that never signs in would occupy a slot that other clients need. */
  signInMs: number;
}

export const LIMITS = {
  connections: 500,
  connectionsPerClient: 30,
  connectionsPerNetwork: 100,
  /** Enough for an address and a password of 1,024 octets in base64. RFC 2449, section 4 requires 255. */
  lineOctets: 2_560,
  /** RFC 1939, section 3 requires at least 10 minutes. The additional minute is for clients whose timers run late. */
  idleMs: 11 * 60_000,
  signInMs: 2 * 60_000,
  handshakeMs: 30_000,
  /** No limit: it takes long to download a million messages, and a signed-in session locks only its own mailbox. */
  connectionMs: null,
  stallMs: 2 * 60_000,
  errorDelayMs: 1_000,
  lingerMs: 2_000,
  closeMs: 3_000,
  halfLifeMs: 10_000,
};

export type Pop3Limits = typeof LIMITS;

export interface Pop3ListenerOptions extends Omit<Pop3Options, 'signInMs'> {
  listenAddress: ListenAddress;
  /** Whether the port has TLS from the first byte. */
  isSecure: boolean;
  /** See `startTcpListener`. */
  proxy?: ProxyProtocol | undefined;
  /** Default: `LIMITS`. */
  limits?: Pop3Limits;
}

/** See `startTcpListener`. @throws like `listenAt` */
export function startPop3Listener({
  listenAddress,
  isSecure,
  proxy,
  limits = LIMITS,
  ...options
}: Pop3ListenerOptions): Promise<{ port: number } & AsyncDisposable> {
  return startTcpListener({
    listenAddress,
    proxy,
    limits,
    farewells: REPLIES,
    metrics: { connections: pop3Connections, displaced: pop3GaveWay, sessions: pop3Sessions },
    secureContext: isSecure ? options.secureContext : undefined,
    serve: (connection) => servePop3(connection, { ...options, signInMs: limits.signInMs }),
  });
}

/** Serves a connection. Resolves when the connection is over. */
export async function servePop3(connection: ClientConnection, options: Pop3Options): Promise<void> {
  const late = setTimeout(() => connection.end(REPLIES.tooLong), options.signInMs);
  connection.write(`+OK ${options.hostname} POP3`);
  const opened = await authorize(connection, options);
  clearTimeout(late);
  if (opened === null) return;
  connection.isTrusted = true;
  await using maildrop = opened;
  const { ended } = maildrop.owner;
  const { lost } = maildrop.lock;
  const onEnded = (): void => connection.end(REPLIES.ended);
  const onLost = (): void => connection.end(REPLIES.lostMailbox);
  ended.addEventListener('abort', onEnded);
  lost.addEventListener('abort', onLost);
  if (ended.aborted) onEnded();
  if (lost.aborted) onLost();
  await transact(connection, maildrop, options);
  ended.removeEventListener('abort', onEnded);
  lost.removeEventListener('abort', onLost);
}
