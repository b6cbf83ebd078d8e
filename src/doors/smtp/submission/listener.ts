/** The ports where mail apps and applications submit mail (RFC 6409). */
import { totalmem } from 'node:os';
import {
  submissionConnections,
  submissionGaveWay,
  submissionSessions,
} from '../../../observe/instruments.ts';
import type { SecureContextOf } from '../../../net/tls.ts';
import type { ClientConnection } from '../../tcp/client-connection.ts';
import type { ListenAddress } from '../../tcp/listen.ts';
import { type ProxyProtocol, startTcpListener } from '../../tcp/listener.ts';
import { SharedQuota } from '../../tcp/shared-quota.ts';
import type { ContentStores } from '../arriving-content.ts';
import { SPOOL_OCTETS } from '../listener.ts';
import { REPLIES } from '../replies.ts';
import { serveSmtp } from '../serve-smtp.ts';
import type { Spool } from '../spool.ts';
import { SubmissionPolicy, type SubmissionPolicyOptions } from './submission-policy.ts';

const MIB = 1024 * 1024;

export const LIMITS = {
  connections: 500,
  /** An application may keep several connections open, and a household or an office may share one address. */
  connectionsPerClient: 100,
  connectionsPerNetwork: 200,
  /** Memory for content, over all connections: small messages that are being received, and all messages that are being processed. */
  contentOctets: Math.min(Math.max(totalmem() / 8, 128 * MIB), 256 * MIB),
  /** Disk space for large messages that are being received, over all connections. */
  spoolOctets: SPOOL_OCTETS,
  /** Passwords have up to 1,024 octets, and long addresses can be followed by parameters of RFC 3461 and RFC 4954. */
  lineOctets: 4_096,
  signInMs: 2 * 60_000,
  /** 40 MiB at 0.5 Mbit/s take 11 minutes. */
  messageMs: 15 * 60_000,
  /** RFC 5321, section 4.5.3.2.7. */
  idleMs: 5 * 60_000,
  handshakeMs: 30_000,
  /** No limit. Signed-in clients may stay connected, and `signInMs` limits clients that have not signed in. */
  connectionMs: null,
  lingerMs: 2_000,
  closeMs: 3_000,
  halfLifeMs: 10_000,
  stallMs: 60_000,
  errorDelayMs: 1_000,
};

export type SubmissionLimits = typeof LIMITS;

export interface SubmissionListenerOptions extends Pick<SubmissionPolicyOptions, 'open'> {
  listenAddress: ListenAddress;
  hostname: string;
  /** TLS is offered if there is a certificate. */
  secureContext: SecureContextOf;
  /** Whether the port has TLS from the first byte. */
  isSecure: boolean;
  /** See `startTcpListener`. */
  proxy?: ProxyProtocol | undefined;
  spool: Pick<Spool, 'create'>;
  /** Default: `LIMITS`. */
  limits?: SubmissionLimits;
}

/** See `startTcpListener`. @throws like `listenAt` */
export function startSubmissionListener({
  listenAddress,
  hostname,
  secureContext,
  isSecure,
  proxy,
  open,
  spool,
  limits = LIMITS,
}: SubmissionListenerOptions): Promise<{ port: number } & AsyncDisposable> {
  const { messageMs, signInMs } = limits;
  const content = submittedContent(limits, spool);
  return startTcpListener({
    listenAddress,
    proxy,
    limits,
    farewells: REPLIES,
    metrics: {
      connections: submissionConnections,
      displaced: submissionGaveWay,
      sessions: submissionSessions,
    },
    secureContext: isSecure ? secureContext : undefined,
    async serve(connection) {
      using policy = new SubmissionPolicy(connection, { hasTls: secureContext() !== null, signInMs, open });
      // Unlike on the port for incoming mail, the greeting is not delayed, because a spam bot cannot sign in anyway.
      await serveSmtp(connection, {
        hostname,
        secureContext,
        policy,
        greetMs: null,
        messageMs,
        content,
      });
    },
  });
}

/** Where the content of submitted messages is stored while it arrives. */
export function submittedContent(
  { contentOctets, spoolOctets }: Pick<SubmissionLimits, 'contentOctets' | 'spoolOctets'>,
  spool: Pick<Spool, 'create'>,
): ContentStores {
  const onDisplaced = (connection: ClientConnection): void => {
    submissionGaveWay.inc({ to: 'content' });
    connection.end(REPLIES.displaced);
  };
  return {
    memory: new SharedQuota(contentOctets, onDisplaced),
    disk: new SharedQuota(spoolOctets, onDisplaced),
    spool,
  };
}
