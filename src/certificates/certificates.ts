import type { SecureContext } from 'node:tls';
import type { SecureContextOf } from '../net/tls.ts';

/** The certificates that a process presents on every port with TLS. */
export interface Certificates {
  /** Called at each handshake, so a renewed certificate is used at once and open connections are not affected. */
  readonly secureContext: SecureContextOf;
  /** Resolves when there is a certificate, which opens the ports with implicit TLS. Never resolves if there will be none. */
  readonly arrived: Promise<void>;
  /** Responses to challenges of a certificate authority. Null: no authority is used. */
  readonly answers: ChallengeResponses | null;
}

/** Responses to a certificate authority that validates control of a name. Null: no challenge is pending. */
export interface ChallengeResponses {
  /** http-01 (RFC 8555, section 8.3). */
  http(token: string): string | null;
  /** tls-alpn-01 (RFC 8737). */
  tls(name: string): SecureContext | null;
}

/** For processes that neither have nor obtain a certificate. */
export const NO_CERTIFICATE: Certificates = {
  secureContext: () => null,
  arrived: new Promise(() => {}),
  answers: null,
};
