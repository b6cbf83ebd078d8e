/** Guards every operation before its body is read. The guard checks the API key first, then the rate limits, then the scope. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AuthenticatedKey, KEY_PREFIX } from '../../accounts/keys/api-keys.ts';
import { AppError } from '../../model/app-error.ts';
import { grants, type Scope } from '../../model/scopes.ts';
import {
  bucketsOfFailures,
  bucketsOfKeys,
  type RateLimitResult,
  type TokenBuckets,
} from '../../concurrency/rate-limit.ts';
import { clientNetwork } from '../../net/client-network.ts';
import type { Caller, HttpServices } from './services.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller. The guard sets this before an operation runs. Null if the route has no guard. */
    caller: Caller | null;
  }
}

const MAX_TOKEN_LENGTH = 256;

export interface RequestLimits {
  /** Counts requests per API key. */
  requests: TokenBuckets;
  /** Counts failed authentications per client network. */
  failures: TokenBuckets;
}

/**
 * @param perSecond requests per second for each API key, with a burst of ten times as many requests; 0 disables all limits
 * @param processes returns the current number of processes that serve the API
 */
export function newLimits(perSecond: number, processes: () => number): RequestLimits | null {
  const requests = bucketsOfKeys(perSecond, processes);
  if (requests === null) return null;
  return { requests, failures: bucketsOfFailures(processes) };
}

type Done = (error?: Error) => void;

/** The guard hook of one operation. Calls `done` synchronously if the caller is cached and returns a promise otherwise. */
export function guard(services: HttpServices, limits: RequestLimits | null, scope: Scope) {
  return (request: FastifyRequest, reply: FastifyReply, done: Done): Promise<undefined> | undefined => {
    const token = bearerToken(request.headers.authorization);
    if (token === null) {
      const detail = 'Send the API key as Authorization: Bearer <API_KEY>.';
      done(refuseCaller(request, reply, limits, 'missing-api-key', detail));
      return undefined;
    }
    const caller = isTokenShaped(token) ? services.authenticate(token, request.ip ?? '') : null;
    if (!(caller instanceof Promise)) {
      done(admit(request, reply, limits, scope, caller));
      return undefined;
    }
    return caller.then(
      (found) => {
        const refusal = admit(request, reply, limits, scope, found);
        if (refusal !== undefined) throw refusal;
        return undefined;
      },
      (error: unknown) => {
        showAddressAllowance(request, reply, limits);
        throw error;
      },
    );
  };
}

function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  limits: RequestLimits | null,
  scope: Scope,
  caller: Caller | null,
): AppError | undefined {
  if (caller === null) {
    const detail =
      'The API key is unknown, revoked or expired, or cannot be used from this IP address. Use another key.';
    return refuseCaller(request, reply, limits, 'invalid-api-key', detail);
  }
  request.caller = caller;
  switch (caller.kind) {
    case 'api-key':
      return admitKey(reply, limits, scope, caller);
    default:
      // A new kind of caller fails to compile until this switch has a case for the kind.
      return caller.kind satisfies never;
  }
}

/** Admits a key that has the scope and is within its rate limit. */
function admitKey(
  reply: FastifyReply,
  limits: RequestLimits | null,
  scope: Scope,
  key: AuthenticatedKey,
): AppError | undefined {
  if (limits !== null) {
    const limit = limits.requests.take(key.keyId);
    showAllowance(reply, limits.requests, limit);
    if (!limit.allowed) return tooMany('This API key has made too many requests', limit);
  }
  if (grants(key.scopes, scope)) return undefined;
  return new AppError(
    'missing-scope',
    `The API key does not have the scope ${scope}. Use a key that has this scope.`,
    {
      extensions: { required_scope: scope },
    },
  );
}

/** Applies the rate limit only to failed authentications. The limit slows down guessing and never blocks a valid key. */
export function refuseCaller(
  request: FastifyRequest,
  reply: FastifyReply,
  limits: RequestLimits | null,
  code: 'missing-api-key' | 'invalid-api-key',
  detail: string,
): AppError {
  if (limits === null) return new AppError(code, detail);
  const limit = limits.failures.take(clientNetwork(request.ip));
  showAllowance(reply, limits.failures, limit);
  if (limit.allowed) return new AppError(code, detail);
  return tooMany('Too many failed authentications from this IP address', limit);
}

/** On responses to requests without a known key, shows how many more requests may fail (docs/contract.md, Rate limits). */
export function showAddressAllowance(
  { ip }: Pick<FastifyRequest, 'ip'>,
  reply: FastifyReply,
  limits: RequestLimits | null,
): void {
  if (limits !== null) showAllowance(reply, limits.failures, limits.failures.peek(clientNetwork(ip ?? '')));
}

function showAllowance(
  reply: FastifyReply,
  { capacity }: TokenBuckets,
  { remaining, resetSeconds }: Pick<RateLimitResult, 'remaining' | 'resetSeconds'>,
): void {
  reply.header('ratelimit-limit', String(capacity));
  reply.header('ratelimit-remaining', String(remaining));
  reply.header('ratelimit-reset', String(resetSeconds));
}

function tooMany(what: string, { retryAfterSeconds }: RateLimitResult): AppError {
  return new AppError('rate-limited', `${what}. Wait for the number of seconds in Retry-After.`, {
    retryAfterSeconds,
  });
}

/** Reads the bearer token (RFC 6750, section 2.1). Null if the header is missing or uses another scheme. */
export function bearerToken(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (header.startsWith('Bearer ')) return header.slice(7).trim();
  return /^bearer(?: +|$)/i.test(header) ? header.slice(6).trim() : null;
}

/** Whether the text could be an API key. If not, it need not be looked up. */
function isTokenShaped(token: string): boolean {
  return token.startsWith(KEY_PREFIX) && token.length <= MAX_TOKEN_LENGTH;
}
