import type { SecureContext } from 'node:tls';
import type { SecureContextOf } from '../net/tls.ts';

/** The certificates that a process presents on every port with TLS. */
export interface Certificates {
  /** Called at each handshake, so that a renewed certificate is used at once without affecting open connections. */
  readonly secureContext: SecureContextOf;
  /** Resolves when there is a certificate, so that ports with implicit TLS can open. If the process never gets one, it never resolves. */
  readonly available: Promise<void>;
  /** Responses to challenges of a certificate authority. Null if no authority is used. */
  readonly challengeResponses: ChallengeResponses | null;
}

/** The responses by which a certificate authority checks that a name is ours. Each function returns null if no challenge matches. */
export interface ChallengeResponses {
  /** Returns the response to an http-01 challenge (RFC 8555, section 8.3). */
  http(token: string): string | null;
  /** Returns the response to a tls-alpn-01 challenge (RFC 8737). */
  tls(name: string): SecureContext | null;
}

/** Used by processes that neither have nor obtain a certificate. */
export const NO_CERTIFICATE: Certificates = {
  secureContext: () => null,
  available: new Promise(() => {}),
  challengeResponses: null,
};
