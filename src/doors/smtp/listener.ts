/** The port for incoming mail. */
import { totalmem } from 'node:os';
import { inboundConnections, inboundGaveWay, inboundSessions } from '../../observe/instruments.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import type { ListenAddress } from '../tcp/listen.ts';
import { type ProxyProtocol, startTcpListener } from '../tcp/listener.ts';
import { SharedQuota } from '../tcp/shared-quota.ts';
import { receptionPolicy, type ReceptionOptions } from './reception.ts';
import { REPLIES } from './replies.ts';
import { serveSmtp, type SmtpOptions } from './serve-smtp.ts';
import type { Spool } from './spool.ts';

const MIB = 1024 * 1024;
export const SPOOL_OCTETS = 2_048 * MIB;

export const LIMITS = {
  connections: 200,
  connectionsPerClient: 20,
  connectionsPerNetwork: 60,
  /**
   * Memory for content, over all connections: small messages that are being received, and all messages that are being processed. While all
   * of this memory is in use, large messages wait, connections that are much less active are closed, or messages are rejected with 452.
   */
  contentOctets: Math.min(Math.max(totalmem() / 8, 96 * MIB), 256 * MIB),
  /** Disk space for large messages that are being received, over all connections. The same rules apply. */
  spoolOctets: SPOOL_OCTETS,
  /** 512 octets, plus space for the parameters of extensions (RFC 5321, section 4.5.3.1.4). */
  lineOctets: 1_024,
  /** See `SmtpOptions`. */
  greetMs: 200,
  /** 40 MiB at 0.5 Mbit/s take 11 minutes. */
  messageMs: 15 * 60_000,
  /** RFC 5321, section 4.5.3.2.7. */
  idleMs: 5 * 60_000,
  handshakeMs: 30_000,
  connectionMs: 30 * 60_000,
  lingerMs: 2_000,
  closeMs: 3_000,
  halfLifeMs: 10_000,
  stallMs: 60_000,
  errorDelayMs: 1_000,
};

export type SmtpLimits = typeof LIMITS;

export interface SmtpListenerOptions<Addressee>
  extends ReceptionOptions<Addressee>,
    Pick<SmtpOptions<Addressee>, 'hostname' | 'secureContext'> {
  listenAddress: ListenAddress;
  /** Whether a client is a gateway or a backup MX of this installation. Errors in mail that a relay forwards are not counted. */
  isRelay?(address: string): boolean;
  /** See `startTcpListener`. */
  proxy?: ProxyProtocol | undefined;
  spool: Pick<Spool, 'create'>;
  /** Default: `LIMITS`. */
  limits?: SmtpLimits;
}

/** See `startTcpListener`. @throws like `listenAt` */
export function startSmtpListener<Addressee>({
  listenAddress,
  proxy,
  spool,
  limits = LIMITS,
  ...options
}: SmtpListenerOptions<Addressee>): Promise<{ port: number } & AsyncDisposable> {
  const onDisplaced = (connection: ClientConnection): void => {
    inboundGaveWay.inc({ to: 'content' });
    connection.end(REPLIES.displaced);
  };
  const smtp: SmtpOptions<Addressee> = {
    ...options,
    policy: receptionPolicy(options),
    greetMs: limits.greetMs,
    messageMs: limits.messageMs,
    content: {
      memory: new SharedQuota(limits.contentOctets, onDisplaced),
      disk: new SharedQuota(limits.spoolOctets, onDisplaced),
      spool,
    },
  };
  return startTcpListener({
    listenAddress,
    proxy,
    isRelay: options.isRelay,
    limits,
    farewells: REPLIES,
    metrics: { connections: inboundConnections, displaced: inboundGaveWay, sessions: inboundSessions },
    serve: (connection) => serveSmtp(connection, smtp),
  });
}
