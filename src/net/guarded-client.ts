/**
 * Sends requests to untrusted URLs. Every address is checked before it is dialed. Redirects are followed only if the caller allows them,
 * and pass the same checks. Each response is limited in time and size.
 */
import { isIP } from 'node:net';
import type { Agent } from 'undici';
import { isDialable } from './address-guard.ts';
import { LookupBlocked, guardedLookup } from './guarded-lookup.ts';
import { CONNECTION_OPTIONS, HttpExchange, type HttpResult, type PostResult } from './http-exchange.ts';
import type { TrustedCertificates } from './tls.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** The time limit for connecting to an address before the next address of the host is tried. */
const ATTEMPT_TIMEOUT_MS = 1_000;
const MAX_KEEP_ALIVE_MS = 60_000;
const MAX_STORED_OF_POST_BYTES = 4 * 1024;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface GuardedClientOptions {
  /** Allows addresses of this machine, and http URLs. For development. */
  allowLoopback: boolean;
  /** The maximum number of connections to an origin (scheme, host and port). Other requests wait; the wait counts toward their timeout. */
  maxConnectionsPerOrigin: number;
  /** Allows http URLs to public addresses. Needed because some images in mail have only http URLs. Default: false. */
  allowHttp?: boolean;
  /** `ip:port` of the DNS resolver. Default: the resolvers of the system. */
  dns?: string | null;
  /** The trusted CA certificates. Default: Node's certificates. */
  ca?: TrustedCertificates;
}

export interface PostRequest {
  headers: Record<string, string>;
  body: string | Uint8Array;
  /** The timeout for the look-up, the connection, the request and the complete response together. */
  timeoutMs: number;
  /** Aborts the request. The server may already have received it. */
  signal?: AbortSignal;
}

export interface GetRequest {
  headers: Record<string, string>;
  /** The timeout for the look-up, the connection, the request and the complete response together. */
  timeoutMs: number;
  /** The maximum number of body bytes in the result. */
  maxStoredBytes: number;
}

export interface DownloadRequest extends GetRequest {
  /** The maximum number of redirects to follow, all within the request's timeout. */
  maxRedirects: number;
  signal?: AbortSignal;
}

export interface DownloadResult extends Pick<HttpResult, 'httpStatus' | 'error' | 'body' | 'bodyTruncated'> {
  contentType: string | null;
}

export interface GetResult extends PostResult, Pick<HttpResult, 'errorCode'> {
  /** The unparsed Content-Type of the response. */
  contentType: string | null;
}

export interface PostResponse extends PostResult {
  /** The unparsed Retry-After of the response. */
  retryAfter: string | null;
}

interface GuardedRequest extends GetRequest {
  method: 'GET' | 'POST';
  body: string | Uint8Array | null;
  signal?: AbortSignal;
}

export class GuardedClient implements AsyncDisposable {
  readonly #options: GuardedClientOptions;
  #agent: Agent | null = null;
  #loading: Promise<Agent> | null = null;
  #isDisposed = false;

  constructor(options: GuardedClientOptions) {
    this.#options = options;
  }

  /** Sends a POST request. Does not reject if the URL is invalid or the server fails: `error` in the result says what is wrong. */
  async post(url: string, request: PostRequest): Promise<PostResponse> {
    const whole = { ...request, method: 'POST', maxStoredBytes: MAX_STORED_OF_POST_BYTES } as const;
    const { headers, httpStatus, error, durationMs, responseBody, responseTruncated } = await this.#send(
      url,
      whole,
    );
    const retryAfter = single(headers['retry-after']);
    return { httpStatus, error, durationMs, responseBody, responseTruncated, retryAfter };
  }

  /** Sends a GET request. Does not reject if the URL is invalid or the server fails, as in `post`. */
  async get(url: string, request: GetRequest): Promise<GetResult> {
    const whole = { ...request, method: 'GET', body: null } as const;
    const { headers, wasSent: _, body: __, bodyTruncated: ___, ...result } = await this.#send(url, whole);
    return { ...result, contentType: single(headers['content-type']) };
  }

  /** Downloads bytes, up to the size that the caller allows. Does not reject if the URL is invalid or the server fails, as in `post`. */
  async download(url: string, request: DownloadRequest): Promise<DownloadResult> {
    const endsAt = performance.now() + request.timeoutMs;
    let target = url;
    for (let left = request.maxRedirects; ; left--) {
      const timeoutMs = Math.max(1, endsAt - performance.now());
      const result = await this.#send(target, { ...request, timeoutMs, method: 'GET', body: null });
      const { httpStatus, error, headers, body, bodyTruncated } = result;
      const location = single(headers['location']);
      if (httpStatus === null || !REDIRECTS.has(httpStatus) || location === null || left === 0)
        return { httpStatus, error, body, bodyTruncated, contentType: single(headers['content-type']) };
      target = URL.parse(location, target)?.href ?? '';
    }
  }

  async #send(url: string, request: GuardedRequest): Promise<HttpResult> {
    const agent = this.#agent ?? (await this.#load());
    const { method, headers, body } = request;
    return new Promise((resolve) => {
      const exchange = new HttpExchange(request, resolve);
      const target = URL.parse(url);
      if (target === null || !/^https?:$/.test(target.protocol)) exchange.fail('not an http or https URL');
      else if (
        target.protocol === 'http:' &&
        !this.#options.allowLoopback &&
        this.#options.allowHttp !== true
      ) {
        exchange.fail('only https is allowed');
      } else if (!exchange.isOver) {
        const { origin, pathname, search } = target;
        agent.dispatch({ origin, path: pathname + search, method, headers, body }, exchange);
      }
    });
  }

  /** Aborts all pending requests. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await (await this.#loading)?.destroy();
  }

  /** Loads undici at the first request, because loading takes 0.1 s and 30 MB, and many processes never send a request. */
  #load(): Promise<Agent> {
    this.#loading ??= createAgent(this.#options).then(async (agent) => {
      if (this.#isDisposed) await agent.destroy();
      this.#agent = agent;
      return agent;
    });
    return this.#loading;
  }
}

function single(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

async function createAgent({
  allowLoopback,
  maxConnectionsPerOrigin,
  dns = null,
  ca,
}: GuardedClientOptions): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici');
  const connect = buildConnector({
    allowH2: false,
    ca,
    timeout: CONNECT_TIMEOUT_MS,
    lookup: guardedLookup(allowLoopback, dns),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
  });
  return new Agent({
    connect(options, callback) {
      const { hostname } = options;
      // An IP address in a URL skips the look-up, so it is checked here.
      if (isIP(hostname) !== 0 && !isDialable(hostname, { allowLoopback })) {
        callback(new LookupBlocked('the address is not public'), null);
      } else connect(options, callback);
    },
    connections: maxConnectionsPerOrigin,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    ...CONNECTION_OPTIONS,
  });
}
