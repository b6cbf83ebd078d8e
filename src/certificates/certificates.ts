import type { SecureContext } from 'node:tls';
import type { SecureContextOf } from '../net/tls.ts';

/** The certificates that a process presents on every port with TLS. */
export interface Certificates {
  /** Called at each handshake, so that a renewed certificate is used at once without affecting open connections. */
  readonly secureContext: SecureContextOf;
  /** Resolves when there is a certificate; the ports with implicit TLS open then. Never resolves in a process that gets no certificate. */
  readonly arrived: Promise<void>;
  /** Responses to challenges of a certificate authority. Null if no authority is used. */
  readonly answers: ChallengeResponses | null;
}

/** Responses to a certificate authority that validates control of a name. The functions return null if there is no such challenge. */
export interface ChallengeResponses {
  /** http-01 (RFC 8555, section 8.3). */
  http(token: string): string | null;
  /** tls-alpn-01 (RFC 8737). */
  tls(name: string): SecureContext | null;
}

/** Used by processes that neither have nor obtain a certificate. */
export const NO_CERTIFICATE: Certificates = {
  secureContext: () => null,
  arrived: new Promise(() => {}),
  answers: null,
};
