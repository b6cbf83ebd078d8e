/** How TLS went, in the words of TLS reports (RFC 8460, section 4.3). */
import { mxMatches, type StsPolicy } from '../../../rfc/mta-sts/mta-sts.ts';
import type { AttemptedSession } from './site-sessions.ts';

export type TlsFailure =
  | 'starttls-not-supported'
  | 'certificate-host-mismatch'
  | 'certificate-expired'
  | 'certificate-not-trusted'
  | 'validation-failure'
  | 'sts-policy-fetch-error'
  | 'sts-policy-invalid'
  | 'sts-webpki-invalid';
type TlsOutcome = 'success' | TlsFailure;

/** One session with a host, or one fetch of a policy that failed. */
export interface TlsSession {
  /** The domain of the recipients. */
  policyDomain: string;
  /** The policy that the session was held to; for the failures of a policy itself, `sts`. */
  policyType: 'sts' | 'no-policy-found';
  /** Empty for the failures of a policy itself: no host was asked. */
  mxHost: string;
  outcome: TlsOutcome;
}

/** By codes of Node and OpenSSL (`X509_V_ERR_...` without that). */
const FAILURES: ReadonlyMap<string, TlsFailure> = new Map<string, TlsFailure>([
  ['no-starttls', 'starttls-not-supported'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate-host-mismatch'],
  ['HOSTNAME_MISMATCH', 'certificate-host-mismatch'],
  ['CERT_HAS_EXPIRED', 'certificate-expired'],
  // Something is wrong with the certificate, or with its chain to a trusted root.
  ...[
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
    'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
    'CERT_SIGNATURE_FAILURE',
    'CERT_NOT_YET_VALID',
    'ERROR_IN_CERT_NOT_BEFORE_FIELD',
    'ERROR_IN_CERT_NOT_AFTER_FIELD',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'CERT_CHAIN_TOO_LONG',
    'CERT_REVOKED',
    'INVALID_CA',
    'PATH_LENGTH_EXCEEDED',
    'INVALID_PURPOSE',
    'CERT_UNTRUSTED',
    'CERT_REJECTED',
    'EE_KEY_TOO_SMALL',
    'CA_KEY_TOO_SMALL',
    'CA_MD_TOO_WEAK',
  ].map((code): [string, TlsFailure] => [code, 'certificate-not-trusted']),
]);

/**
 * The failure of a TLS session, by its code.
 * @param code of Node or OpenSSL, or `no-starttls` where the host offers none or refuses it
 */
export function tlsFailureOf(code: string): TlsFailure {
  return FAILURES.get(code) ?? 'validation-failure';
}

/**
 * The failure of a request for a policy, by its code. A bad certificate of the policy's host has a word of its own.
 * @param code null: no connection is to blame
 */
export function fetchFailureOf(code: string | null): TlsFailure {
  const isCertificate = code !== null && tlsFailureOf(code) !== 'validation-failure';
  return isCertificate ? 'sts-webpki-invalid' : 'sts-policy-fetch-error';
}

/** The result of a session for TLS reports; null when TLS was not tried, or there is no domain to report to. */
export function resultOf(
  policyDomain: string,
  mxHost: string,
  session: AttemptedSession,
  policy: StsPolicy | null,
): TlsSession | null {
  if (policyDomain.startsWith('[') || (!session.tls && session.tlsFault === null)) return null;
  const policyType = policy === null ? 'no-policy-found' : 'sts';
  return { policyDomain, policyType, mxHost, outcome: outcomeOf(mxHost, session, policy) };
}

function outcomeOf(host: string, { tls, tlsFault }: AttemptedSession, policy: StsPolicy | null): TlsOutcome {
  // Without a policy no valid certificate is asked for.
  if (tlsFault === null || (policy === null && tls)) {
    return policy === null || mxMatches(policy, host) ? 'success' : 'validation-failure';
  }
  return tlsFailureOf(tlsFault);
}
