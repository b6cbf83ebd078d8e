import type { SecureContext } from 'node:tls';
import type { SecureContextOf } from '../net/tls.ts';

/** The certificates that a process shows to those who connect to it, at every port that has TLS. */
export interface Certificates {
  /** Asked for each handshake, so a renewed one is shown at once, and those who are connected stay so. */
  readonly secureContext: SecureContextOf;
  /** Resolves once there is one: ports with TLS from the first byte open then. Where there will be none it never resolves. */
  readonly arrived: Promise<void>;
  /** What a certificate authority is answered; null: none is asked. */
  readonly answers: ChallengeResponses | null;
}

/** Answers to those who look whether a name is ours. Null: nobody proves that at present. */
export interface ChallengeResponses {
  /** http-01 (RFC 8555, section 8.3). */
  http(token: string): string | null;
  /** tls-alpn-01 (RFC 8737). */
  tls(name: string): SecureContext | null;
}

/** Nothing here has a certificate, nor gets one. */
export const NO_CERTIFICATE: Certificates = {
  secureContext: () => null,
  arrived: new Promise(() => {}),
  answers: null,
};
