/** The IMAP ports. */
import { totalmem } from 'node:os';
import { imapConnections, imapGaveWay, imapSessions } from '../../observe/instruments.ts';
import type { SecureContextOf } from '../../net/tls.ts';
import type { ListenAddress } from '../tcp/listen.ts';
import { type ProxyProtocol, startTcpListener } from '../tcp/listener.ts';
import { SharedQuota } from '../tcp/shared-quota.ts';
import { COMMAND_LIMITS } from './command-reader.ts';
import { FAREWELLS } from './responses.ts';
import { serveImap } from './serve-imap.ts';
import type { ImapServices } from './session.ts';

const MIB = 1024 * 1024;

export const LIMITS = {
  connections: 10_000,
  /** Households and offices share an address, and each mail app opens several connections. */
  connectionsPerClient: 1_200,
  connectionsPerNetwork: 2_000,
  /** Memory for large literals over all connections. Most large literals are appended messages. */
  literalOctets: Math.min(Math.max(totalmem() / 8, 128 * MIB), 256 * MIB),
  /** Low before sign-in. Attack: every connection starts a line that never ends, and all of them stay in memory. */
  lineOctets: COMMAND_LIMITS.before + 2,
  signedInLineOctets: COMMAND_LIMITS.lines + 2,
  /** Before sign-in: the time limit for the next command. `signInMs` is the time limit for sign-in as a whole. */
  idleMs: 60_000,
  signInMs: 3 * 60_000,
  /** RFC 9051, section 5.4 requires at least 30 minutes. */
  signedInIdleMs: 31 * 60_000,
  /** Short enough for NAT devices that forget silent connections after 5 minutes. Dovecot has the same interval. */
  stillHereMs: 2 * 60_000,
  handshakeMs: 30_000,
  connectionMs: null,
  lingerMs: 2_000,
  closeMs: 3_000,
  halfLifeMs: 10_000,
  stallMs: 60_000,
  errorDelayMs: 1_000,
};

export type ImapLimits = typeof LIMITS;

export interface ImapListenerOptions {
  listenAddress: ListenAddress;
  services: ImapServices;
  /** Returns null if there is no certificate, so that TLS is not available. */
  secureContext: SecureContextOf;
  /** Whether the port has TLS from the first byte. */
  isSecure: boolean;
  /** See `startTcpListener`. */
  proxy?: ProxyProtocol | undefined;
  /** Default: `LIMITS`. */
  limits?: ImapLimits;
}

/** See `startTcpListener`. @throws like `listenAt` */
export function startImapListener({
  listenAddress,
  services,
  secureContext,
  isSecure,
  proxy,
  limits = LIMITS,
}: ImapListenerOptions): Promise<{ port: number } & AsyncDisposable> {
  const literalMemory = new SharedQuota(limits.literalOctets, (connection) => {
    imapGaveWay.inc({ to: 'content' });
    connection.end(FAREWELLS.displaced);
  });
  const { signInMs, signedInIdleMs, signedInLineOctets, stillHereMs } = limits;
  const options = {
    services,
    memory: literalMemory,
    secureContext,
    signInMs,
    signedInIdleMs,
    signedInLineOctets,
    stillHereMs,
  };
  return startTcpListener({
    listenAddress,
    proxy,
    limits,
    farewells: FAREWELLS,
    metrics: { connections: imapConnections, displaced: imapGaveWay, sessions: imapSessions },
    secureContext: isSecure ? secureContext : undefined,
    serve: (connection) => serveImap(connection, options),
  });
}
