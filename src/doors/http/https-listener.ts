/** The API port that uses TLS from the first byte. The HTTP server of the plain port serves the decrypted connections. */
import type { Server } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import type { Certificates } from '../../certificates/certificates.ts';
import { now } from '../../model/clock.ts';
import { selfSigned } from '../../rfc/acme/certificates.ts';
import { type Listening, listenAt, type ListenAddress } from '../tcp/listen.ts';

export interface HttpsOptions extends Pick<Certificates, 'secureContext' | 'challengeResponses'> {
  listenAddress: ListenAddress;
}

const HANDSHAKE_MS = 10_000;
const HTTP = 'http/1.1';
/** The ALPN protocol of a challenge (RFC 8737, section 4). */
const ACME_TLS = 'acme-tls/1';

/** Starts the listener. Until there is a certificate, the port serves only ACME challenges. @throws the errors of `listenAt` */
export async function startHttpsListener(http: Server, options: HttpsOptions): Promise<Listening> {
  const handshaking = new Set<Socket>();
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (plain) => {
    handshaking.add(plain);
    const timer = setTimeout(() => plain.destroy(), HANDSHAKE_MS);
    plain.once('close', () => {
      clearTimeout(timer);
      handshaking.delete(plain);
    });
    const secure = secured(plain, options);
    secure.once('_tlsError', () => plain.destroy());
    secure.once('error', () => plain.destroy());
    secure.once('secure', () => {
      // The certificate authority needs only the handshake (RFC 8737, section 3). `end` still sends the last bytes of the handshake.
      if (secure.alpnProtocol === ACME_TLS) return void secure.end();
      clearTimeout(timer);
      handshaking.delete(plain);
      if (options.secureContext() === null) secure.destroy();
      else http.emit('connection', secure);
    });
  });
  const { port, close } = await listenAt(server, options.listenAddress);
  return {
    port,
    close() {
      for (const socket of handshaking) socket.destroy();
      return close();
    },
  };
}

function secured(plain: Socket, { secureContext, challengeResponses }: HttpsOptions): TLSSocket {
  let proof: SecureContext | null = null;
  const shown = (name?: string): SecureContext => proof ?? secureContext(name) ?? placeholder();
  const secure: TLSSocket = new TLSSocket(plain, {
    isServer: true,
    secureContext: shown(),
    // With TLS 1.3, OpenSSL calls `SNICallback` after `ALPNCallback`. With TLS 1.2, it calls `SNICallback` first, and `setKeyCert` replaces
    // the certificate later.
    SNICallback: (name, done) => done(null, shown(name)),
    ALPNCallback({ servername, protocols }) {
      if (!protocols.includes(ACME_TLS)) return protocols.includes(HTTP) ? HTTP : undefined;
      proof = challengeResponses?.tls(servername) ?? null;
      if (proof === null) return undefined;
      secure.setKeyCert(proof);
      return ACME_TLS;
    },
  });
  return secure;
}

let placeholderContext: SecureContext | null = null;

/**
 * A placeholder, used until there is a certificate. Without any certificate, OpenSSL would abort before ALPN. The key has the same type as
 * the keys of challenge certificates.
 */
function placeholder(): SecureContext {
  placeholderContext ??= createSecureContext(selfSigned('placeholder.invalid', null, now()));
  return placeholderContext;
}
