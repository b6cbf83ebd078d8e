/** Finds the MTA-STS policies of recipients' domains. A policy requires verified TLS (RFC 8461). */
import type { Logger } from 'pino';
import type { Database } from '../../../db/database.ts';
import { LoadingCache } from '../../../db/loading-cache.ts';
import { BoundedMap } from '../../../concurrency/bounded-map.ts';
import type { DnsResolver } from '../../../net/dns.ts';
import type { GuardedClient } from '../../../net/guarded-client.ts';
import { LOG_MESSAGES } from '../../../observe/log-messages.ts';
import { parsePolicy, parseStsRecord, type StsPolicy } from '../../../rfc/mta-sts/mta-sts.ts';
import { expiresAtMs, type CachedPolicy, readCachedPolicy, cachePolicy } from './sts-store.ts';
import { fetchFailureOf, type TlsFailure } from './tls-outcomes.ts';
import type { TlsResults } from './tls-results.ts';

export interface StsPoliciesOptions {
  database: Database;
  resolver: Pick<DnsResolver, 'txt'>;
  client: Pick<GuardedClient, 'get'>;
  /** Records failed fetches for TLS reports. */
  tlsResults: Pick<TlsResults, 'record'>;
  logger: Pick<Logger, 'warn'>;
  /** The port of policy hosts. Default: 443. */
  httpsPort?: number;
  /** Returns the time in milliseconds since 1970. */
  nowMs?: () => number;
  /** Returns the time of a clock that never goes back. */
  monotonicMs?: () => number;
}

/** How long a result is cached, including the result of a failed fetch. */
const TTL_MS = 5 * 60_000;
const MAX_DOMAINS = 10_000;
/** The age at which a policy is fetched again (RFC 8461, section 10.2). A policy is fetched at half of its lifetime if this is sooner. */
const REFRESH_MS = 24 * 60 * 60_000;
/** The timeout of a fetch. Mail to the domain waits for the fetch. */
const FETCH_MS = 10_000;
const MAX_BYTES = 64 * 1024;

/**
 * A fetched policy stays in force until it expires or a newer policy replaces it, whatever DNS and the policy host return. So an attacker
 * who can block both cannot switch off MTA-STS for the domain (RFC 8461, section 10.2).
 */
export class StsPolicies {
  readonly #options: StsPoliciesOptions;
  readonly #nowMs: () => number;
  readonly #answers: LoadingCache<StsPolicy | null>;
  /** Cached policies, which stay in force even while the database is unreachable. */
  readonly #remembered = new BoundedMap<string, CachedPolicy>(MAX_DOMAINS);

  constructor(options: StsPoliciesOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? Date.now;
    this.#answers = new LoadingCache({
      ttlMs: TTL_MS,
      maxEntries: MAX_DOMAINS,
      mayCache: () => true,
      nowMs: options.monotonicMs ?? (() => performance.now()),
    });
  }

  /**
   * Returns the policy of a domain, in any mode. Null if the domain has no policy, or the policy cannot be fetched. Never rejects.
   * @param domain a domain in A-labels and lower case; not an address literal, because address literals have no policy
   */
  async find(domain: string): Promise<StsPolicy | null> {
    return this.#answers.get(domain, () => this.#look(domain));
  }

  async #look(domain: string): Promise<StsPolicy | null> {
    const { resolver } = this.#options;
    const [kept, answer] = await Promise.all([this.#kept(domain), resolver.txt(`_mta-sts.${domain}`)]);
    const record = answer.outcome === 'found' ? parseStsRecord(answer.records) : null;
    // If the DNS record was removed, the policy stays in force until it expires. If DNS fails, the policy is still fetched again, so that
    // an attacker cannot make the policy expire by blocking DNS.
    const recordId = record?.id ?? (answer.outcome === 'failed' ? kept?.recordId : undefined);
    if (recordId === undefined) return kept?.policy ?? null;
    if (kept?.recordId === recordId && !this.#isOld(kept)) return kept.policy;
    return (await this.#fetch(domain, recordId))?.policy ?? kept?.policy ?? null;
  }

  async #fetch(domain: string, recordId: string): Promise<CachedPolicy | null> {
    const { client, httpsPort = 443, tlsResults, logger } = this.#options;
    const fetchedAtMs = this.#nowMs();
    const fetched = await fetchPolicy(domain, client, httpsPort);
    if ('failure' in fetched) {
      const { failure, text } = fetched;
      logger.warn({ domain, failure, reason: text }, LOG_MESSAGES.stsPolicyUnavailable);
      tlsResults.record({ policyDomain: domain, policyType: 'sts', mxHost: '', outcome: failure });
      return null;
    }
    const kept = { policy: fetched.policy, recordId, fetchedAtMs };
    this.#remembered.set(domain, kept);
    await this.#write(domain, kept);
    return kept;
  }

  /** The policy in force for a domain, from the database or the cache. Null if there is none. */
  async #kept(domain: string): Promise<CachedPolicy | null> {
    const remembered = this.#remembered.get(domain) ?? null;
    const stored = await this.#read(domain);
    const isStored = stored !== null && stored.fetchedAtMs >= (remembered?.fetchedAtMs ?? 0);
    const latest = isStored ? stored : remembered;
    if (latest === null || expiresAtMs(latest) <= this.#nowMs()) {
      this.#remembered.delete(domain);
      return null;
    }
    this.#remembered.set(domain, latest);
    // Not stored yet, because the policy was fetched while the database was unreachable.
    if (!isStored) await this.#write(domain, latest);
    return latest;
  }

  #isOld({ policy, fetchedAtMs }: CachedPolicy): boolean {
    const lifeMs = policy.maxAgeSeconds * 1_000;
    return this.#nowMs() - fetchedAtMs >= Math.min(REFRESH_MS, lifeMs / 2);
  }

  async #read(domain: string): Promise<CachedPolicy | null> {
    try {
      return await readCachedPolicy(this.#options.database, domain);
    } catch (error) {
      this.#options.logger.warn({ err: error, domain }, LOG_MESSAGES.stsPolicyNotRead);
      return null;
    }
  }

  async #write(domain: string, kept: CachedPolicy): Promise<void> {
    try {
      await cachePolicy(this.#options.database, domain, kept);
    } catch (error) {
      this.#options.logger.warn({ err: error, domain }, LOG_MESSAGES.stsPolicyNotStored);
    }
  }
}

/** Fetches a policy from the policy host of its domain (RFC 8461, section 3.3). Never rejects. */
async function fetchPolicy(
  domain: string,
  client: Pick<GuardedClient, 'get'>,
  port: number,
): Promise<{ policy: StsPolicy } | { failure: TlsFailure; text: string }> {
  const result = await client.get(`https://mta-sts.${domain}:${port}/.well-known/mta-sts.txt`, {
    headers: { accept: 'text/plain' },
    timeoutMs: FETCH_MS,
    maxStoredBytes: MAX_BYTES,
  });
  const failed = (text: string, failure: TlsFailure = 'sts-policy-fetch-error') => ({ failure, text });
  if (result.httpStatus === null) return failed(result.error ?? '', fetchFailureOf(result.errorCode));
  // Redirects are rejected like all other statuses, to stop this attack: a user who may redirect one page publishes a policy for the
  // domain.
  if (result.httpStatus !== 200) return failed(`HTTP status ${result.httpStatus}`);
  // The type is checked because web servers rarely serve files that users upload with this type (RFC 8461, section 3.2).
  if (!/^text\/plain[ \t]*(?:;|$)/i.test(result.contentType ?? '')) return failed('it is not text/plain');
  if (result.responseTruncated) return failed('it is too long or was cut off');
  const policy = parsePolicy(result.responseBody);
  return policy === null ? failed('it is not a policy', 'sts-policy-invalid') : { policy };
}
