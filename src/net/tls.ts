import { constants } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect,
  type PeerCertificate,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
} from 'node:tls';

/** Trusted CA certificates, as PEM. If undefined, Node's certificates and NODE_EXTRA_CA_CERTS are used. */
export type TrustedCertificates = string[] | undefined;

/** Returns the certificate for a server's next handshake, or null if there is none. @param name the client's SNI (RFC 6066, section 3) */
export type SecureContextOf = (name?: string) => SecureContext | null;

/**
 * `verified`: an invalid certificate, or one for another host, is an error. `opportunistic`: any certificate is accepted, so TLS protects
 * only against an attacker who listens but does not interfere.
 */
export type TlsMode = 'opportunistic' | 'verified';

export interface Secured {
  readonly socket: TLSSocket;
  /** The problem with the certificate, as an OpenSSL or Node error code. Null if there is none. */
  readonly fault: string | null;
}

export type TlsUpgradeResult =
  | Secured
  /** An error message for users, and the error code. `socket` is destroyed. */
  | { readonly error: string; readonly fault: string };

const OPTIONS: Record<TlsMode, SecureContextOptions> = {
  // Node's safe default: TLS 1.2 and later.
  verified: {},
  // Accept old servers with weak keys and ciphers, because the alternative would be no encryption at all.
  opportunistic: {
    minVersion: 'TLSv1',
    ciphers: 'DEFAULT@SECLEVEL=0',
    secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
  },
};

/**
 * Node's identity check, except that two obsolete forms are rejected: a name only in the subject, and a wildcard for a part of a label
 * (RFC 9525, section 6.3; RFC 8461, section 4.2).
 */
export function checkIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const names = (certificate.subjectaltname ?? '').split(', ');
  const whole = names.filter((name) => !/^DNS:(?:[^.]+\*|\*[^.])/.test(name));
  const subject = { ...certificate.subject, CN: '' };
  return checkServerIdentity(host, { ...certificate, subject, subjectaltname: whole.join(', ') });
}

/**
 * Starts TLS as a client on a connected socket. The caller must no longer use the socket itself.
 * @param host the name or address to verify in the certificate. A name is also sent as SNI.
 */
export function startTls(
  socket: Socket,
  host: string,
  mode: TlsMode,
  timeoutMs: number,
  ca?: TrustedCertificates,
): Promise<TlsUpgradeResult> {
  return new Promise((resolve) => {
    // SNI must not contain an IP address (RFC 6066, section 3).
    const name = isIP(host) === 0 ? { servername: host } : {};
    const tlsSocket = connect({
      socket,
      host,
      ...name,
      ...OPTIONS[mode],
      ca,
      rejectUnauthorized: mode === 'verified',
      checkServerIdentity: checkIdentity,
    });
    const fail = (error: string, fault: string): void => {
      clearTimeout(timer);
      tlsSocket.destroy();
      socket.destroy();
      resolve({ error, fault });
    };
    const timer = setTimeout(fail, timeoutMs, 'the TLS handshake took too long', 'ETIMEDOUT');
    tlsSocket.on('error', (error: NodeJS.ErrnoException) => fail(error.message, error.code ?? 'unknown'));
    const closed = (): void => fail('the connection was closed during the TLS handshake', 'ECONNRESET');
    tlsSocket.once('close', closed);
    tlsSocket.once('secureConnect', () => {
      clearTimeout(timer);
      tlsSocket.off('close', closed);
      resolve({
        socket: tlsSocket,
        fault: tlsSocket.authorized ? null : String(tlsSocket.authorizationError),
      });
    });
  });
}
