/** A policy from the host that its domain has for it (RFC 8461, section 3.3). */
import type { GuardedClient } from '../../../net/guarded-client.ts';
import { parsePolicy, type StsPolicy } from '../../../rfc/mta-sts/index.ts';
import { fetchFailureOf, type TlsFailure } from './tls-outcomes.ts';

/** Mail waits for the answer. */
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;

export type FetchedPolicy =
  | { outcome: 'fetched'; policy: StsPolicy }
  | { outcome: 'failed'; failure: TlsFailure; text: string };

/**
 * Never rejects.
 * @param domain A-labels in lower case
 */
export async function fetchPolicy(
  domain: string,
  client: Pick<GuardedClient, 'get'>,
  port: number,
): Promise<FetchedPolicy> {
  const result = await client.get(`https://mta-sts.${domain}:${port}/.well-known/mta-sts.txt`, {
    headers: { accept: 'text/plain' },
    timeoutMs: TIMEOUT_MS,
    maxKeptBytes: MAX_BYTES,
  });
  if (result.httpStatus === null) {
    return failed(fetchFailureOf(result.errorCode), result.error ?? '');
  }
  // A redirect is refused like every other status: somebody who may redirect one page must not speak for the domain.
  if (result.httpStatus !== 200) return failed('sts-policy-fetch-error', `HTTP status ${result.httpStatus}`);
  if (!isPlainText(result.contentType)) return failed('sts-policy-fetch-error', 'it is no text/plain');
  if (result.responseTruncated) return failed('sts-policy-fetch-error', 'it is too long, or broke off');
  const policy = parsePolicy(result.responseBody);
  return policy === null
    ? failed('sts-policy-invalid', 'it is not a policy')
    : { outcome: 'fetched', policy };
}

function failed(failure: TlsFailure, text: string): FetchedPolicy {
  return { outcome: 'failed', failure, text };
}

/** Files that users upload to a web server are seldom served with this type (RFC 8461, section 3.2). */
function isPlainText(contentType: string | null): boolean {
  return /^text\/plain[ \t]*(?:;|$)/i.test(contentType ?? '');
}
