/** The ports at which mail apps and applications hand in what they send (RFC 6409). */
import { totalmem } from 'node:os';
import {
  submissionConnections,
  submissionGaveWay,
  submissionSessions,
} from '../../../observe/instruments.ts';
import type { SecureContextOf } from '../../../net/tls.ts';
import type { ListenAddress } from '../../tcp/listen.ts';
import { type ProxyProtocol, startTcpListener } from '../../tcp/listener.ts';
import { SharedQuota } from '../../tcp/shared-quota.ts';
import { REPLIES } from '../replies.ts';
import { serveSmtp } from '../serve-smtp.ts';
import { SubmissionPolicy, type SubmissionPolicyOptions } from './submission-policy.ts';

const MIB = 1024 * 1024;

export const LIMITS = {
  connections: 500,
  /** An application keeps some open, and a household or an office may share an address. */
  connectionsPerClient: 100,
  connectionsPerNetwork: 200,
  /** Octets of content, over all connections, that is being received or worked on. */
  contentOctets: Math.min(Math.max(totalmem() / 8, 128 * MIB), 256 * MIB),
  /** A password has up to 1,024 octets, and parameters of RFC 3461 and RFC 4954 stand behind long addresses. */
  lineOctets: 4_096,
  signInMs: 2 * 60_000,
  /** 40 MiB at half a megabit a second take 11 minutes. */
  messageMs: 15 * 60_000,
  /** RFC 5321, section 4.5.3.2.7. */
  idleMs: 5 * 60_000,
  handshakeMs: 30_000,
  /** Who has signed in may stay. */
  connectionMs: null,
  lingerMs: 2_000,
  closeMs: 3_000,
  halfLifeMs: 10_000,
  stallMs: 60_000,
};

export type SubmissionLimits = typeof LIMITS;

export interface SubmissionListenerOptions extends Pick<SubmissionPolicyOptions, 'open'> {
  place: ListenAddress;
  hostname: string;
  /** TLS is offered where there is a certificate. */
  secureContext: SecureContextOf;
  /** TLS from the first byte. */
  isSecure: boolean;
  /** See `startTcpListener`. */
  proxy?: ProxyProtocol | undefined;
  /** Default: `LIMITS`. */
  limits?: SubmissionLimits;
}

/** See `startTcpListener`. @throws as `listenAt` does */
export function startSubmissionListener({
  place,
  hostname,
  secureContext,
  isSecure,
  proxy,
  open,
  limits = LIMITS,
}: SubmissionListenerOptions): Promise<{ port: number } & AsyncDisposable> {
  const { messageMs, signInMs } = limits;
  const room = new SharedQuota(limits.contentOctets, (connection) => {
    submissionGaveWay.inc({ to: 'content' });
    connection.end(REPLIES.givesWay);
  });
  return startTcpListener({
    place,
    proxy,
    limits,
    farewells: REPLIES,
    metrics: {
      connections: submissionConnections,
      gaveWay: submissionGaveWay,
      sessions: submissionSessions,
    },
    secureContext: isSecure ? secureContext : undefined,
    async serve(connection) {
      using policy = new SubmissionPolicy(connection, { hasTls: secureContext() !== null, signInMs, open });
      // Nobody is kept waiting: who sends spam has no password.
      await serveSmtp(connection, { hostname, secureContext, policy, greetMs: null, messageMs, room });
    },
  });
}
