import { mxMatches, type StsPolicy } from '../../../rfc/mta-sts/index.ts';
import type { SiteReport } from './site.ts';
import { type TlsOutcome, tlsFailureOf } from './tls-outcomes.ts';
import type { TlsResult } from './tls-results.ts';

/** What a session says for TLS reports; null where it did not come to TLS, or nobody is there to report to. */
export function resultOf(
  { host, destination, tls, tlsFault }: SiteReport,
  policy: StsPolicy | null,
): TlsResult | null {
  if (destination.startsWith('[') || (!tls && tlsFault === null)) return null;
  return {
    policyDomain: destination,
    policyType: policy === null ? 'no-policy-found' : 'sts',
    mxHost: host,
    outcome: outcomeOf(host, tls, tlsFault, policy),
  };
}

function outcomeOf(
  host: string,
  tls: boolean,
  tlsFault: string | null,
  policy: StsPolicy | null,
): TlsOutcome {
  // Without a policy nobody asks for a certificate.
  if (tlsFault === null || (policy === null && tls)) {
    return policy === null || mxMatches(policy, host) ? 'success' : 'validation-failure';
  }
  return tlsFailureOf(tlsFault);
}
