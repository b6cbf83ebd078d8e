/** Outcomes of TLS as TLS reports name them (RFC 8460, section 4.3). */
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

/** One session with a host, or one failed fetch of a policy. */
export interface TlsSession {
  /** The recipients' domain. */
  policyDomain: string;
  /** The policy that applied to the session. `sts` if fetching the policy failed. */
  policyType: 'sts' | 'no-policy-found';
  /** Empty if fetching the policy failed, because no host was contacted. */
  mxHost: string;
  outcome: TlsOutcome;
}

/** Failure types by the error code of Node or OpenSSL (`X509_V_ERR_...` without the prefix). */
const FAILURES: ReadonlyMap<string, TlsFailure> = new Map<string, TlsFailure>([
  ['no-starttls', 'starttls-not-supported'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate-host-mismatch'],
  ['HOSTNAME_MISMATCH', 'certificate-host-mismatch'],
  ['CERT_HAS_EXPIRED', 'certificate-expired'],
  // Errors of the certificate, or of its chain to a trusted root.
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
 * The failure type of a TLS session.
 * @param code the error code of Node or OpenSSL; `no-starttls` if the host does not offer STARTTLS or rejects it
 */
export function tlsFailureOf(code: string): TlsFailure {
  return FAILURES.get(code) ?? 'validation-failure';
}

/**
 * The failure type of a failed policy fetch. An invalid certificate of the policy host has a separate type.
 * @param code the error code of the connection; null if the connection did not fail
 */
export function fetchFailureOf(code: string | null): TlsFailure {
  const isCertificate = code !== null && tlsFailureOf(code) !== 'validation-failure';
  return isCertificate ? 'sts-webpki-invalid' : 'sts-policy-fetch-error';
}

/** The result of a session for TLS reports. Null if TLS was not tried, or no domain can get a report. */
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
  // If the domain has no policy, the certificate need not be valid.
  if (tlsFault === null || (policy === null && tls)) {
    return policy === null || mxMatches(policy, host) ? 'success' : 'validation-failure';
  }
  return tlsFailureOf(tlsFault);
}
