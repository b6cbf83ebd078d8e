import { isIP, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';

export type TlsResult =
  | { readonly socket: TLSSocket }
  /** What went wrong, for people; `socket` is destroyed. */
  | { readonly error: string };

/**
 * Makes a connected socket a TLS client. From the call on, the socket belongs to the result.
 * @param host name or address of the certificate, and of SNI where it is a name
 * @param verify whether a certificate that cannot be verified, or is another host's, is an error;
 *   without it TLS protects from listeners only
 */
export function startTls(
  socket: Socket,
  host: string,
  verify: boolean,
  timeoutMs: number,
): Promise<TlsResult> {
  return new Promise((resolve) => {
    // RFC 6066, section 3: an address is never a server name.
    const name = isIP(host) === 0 ? { servername: host } : {};
    const tlsSocket = connect({ socket, host, ...name, rejectUnauthorized: verify });
    const fail = (error: string): void => {
      clearTimeout(timer);
      tlsSocket.destroy();
      socket.destroy();
      resolve({ error });
    };
    const timer = setTimeout(fail, timeoutMs, 'the TLS handshake took too long');
    tlsSocket.on('error', (error) => fail(error.message));
    const closed = (): void => fail('the connection was closed during the TLS handshake');
    tlsSocket.once('close', closed);
    tlsSocket.once('secureConnect', () => {
      clearTimeout(timer);
      tlsSocket.off('close', closed);
      resolve({ socket: tlsSocket });
    });
  });
}
