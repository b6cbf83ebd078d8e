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

/** Certificates that are trusted, as PEM. Undefined: those of Node, with NODE_EXTRA_CA_CERTS. */
export type TrustedCertificates = string[] | undefined;

/** The certificate of a server's next handshake. @param name that the client asks for (RFC 6066, section 3); null: there is no certificate */
export type SecureContextOf = (name?: string) => SecureContext | null;

/**
 * `verified`: a certificate that cannot be verified, or is another host's, is an error. `opportunistic`: it is not, and TLS only
 * keeps listeners out.
 */
export type TlsMode = 'opportunistic' | 'verified';

export interface Secured {
  readonly socket: TLSSocket;
  /** What is wrong with the certificate, as a code of OpenSSL or Node; null when nothing is. */
  readonly fault: string | null;
}

export type TlsUpgradeResult =
  | Secured
  /** What went wrong, for people, and its code; `socket` is destroyed. */
  | { readonly error: string; readonly fault: string };

const OPTIONS: Record<TlsMode, SecureContextOptions> = {
  // What Node considers safe: TLS 1.2 and later.
  verified: {},
  // The alternative is no encryption at all: even an old server's weak keys and ciphers are better than that.
  opportunistic: {
    minVersion: 'TLSv1',
    ciphers: 'DEFAULT@SECLEVEL=0',
    secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
  },
};

/**
 * Node's check, without two old forms that it still allows: a name in the subject only, and a wildcard for a part of a label
 * (RFC 9525, section 6.3; RFC 8461, section 4.2).
 */
export function checkIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const names = (certificate.subjectaltname ?? '').split(', ');
  const whole = names.filter((name) => !/^DNS:(?:[^.]+\*|\*[^.])/.test(name));
  const subject = { ...certificate.subject, CN: '' };
  return checkServerIdentity(host, { ...certificate, subject, subjectaltname: whole.join(', ') });
}

/**
 * Makes a connected socket a TLS client. From the call on, the socket belongs to the result.
 * @param host name or address of the certificate, and of SNI where it is a name
 */
export function startTls(
  socket: Socket,
  host: string,
  mode: TlsMode,
  timeoutMs: number,
  ca?: TrustedCertificates,
): Promise<TlsUpgradeResult> {
  return new Promise((resolve) => {
    // RFC 6066, section 3: an address is never a server name.
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
