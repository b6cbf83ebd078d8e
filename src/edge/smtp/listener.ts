/** The port for mail from outside. */
import { inboundConnections, inboundSessions } from '../../observe/instruments.ts';
import { startTcpListener } from '../tcp/listener.ts';
import { REPLIES } from './replies.ts';
import { serveSmtp, type SmtpOptions } from './serve-smtp.ts';

export const LIMITS = {
  connections: 100,
  connectionsPerNetwork: 20,
  /** Octets of content, over all connections, that is being received or worked on. */
  contentOctets: 64 * 1024 * 1024,
  /** 512, and more for the parameters of extensions (RFC 5321, section 4.5.3.1.4). */
  lineOctets: 1_024,
  /** See `SmtpOptions`. */
  greetMs: 200,
  /** RFC 5321, section 4.5.3.2.7. */
  idleMs: 5 * 60_000,
  handshakeMs: 30_000,
  connectionMs: 30 * 60_000,
  lingerMs: 2_000,
  closeMs: 3_000,
};

export type SmtpLimits = typeof LIMITS;

export interface SmtpListenerOptions<Addressee>
  extends Pick<SmtpOptions<Addressee>, 'hostname' | 'secureContext' | 'addresseeOf' | 'receive'> {
  /** 0 picks a free one. */
  port: number;
  /** Default: `LIMITS`. */
  limits?: SmtpLimits;
}

/** See `startTcpListener`. @throws when the port is taken */
export function startSmtpListener<Addressee>({
  port,
  limits = LIMITS,
  ...options
}: SmtpListenerOptions<Addressee>): Promise<{ port: number } & AsyncDisposable> {
  let heldOctets = 0;
  const smtp: SmtpOptions<Addressee> = {
    ...options,
    greetMs: limits.greetMs,
    reserve: (octets) => {
      if (heldOctets + octets > limits.contentOctets) return false;
      heldOctets += octets;
      return true;
    },
    release: (octets) => {
      heldOctets -= octets;
    },
  };
  return startTcpListener({
    port,
    limits,
    farewells: REPLIES,
    metrics: { connections: inboundConnections, sessions: inboundSessions },
    serve: (connection) => serveSmtp(connection, smtp),
  });
}
