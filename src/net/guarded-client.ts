/**
 * Requests to URLs that somebody else chose. Every address is checked before it is dialled, redirects are followed only where a caller asks
 * for it, each through the same checks, and each answer has a limit of time and of size.
 */
import { isIP } from 'node:net';
import type { Agent } from 'undici';
import { isDialable } from './address-guard.ts';
import { LookupBlocked, guardedLookup } from './guarded-lookup.ts';
import { CONNECTION_OPTIONS, HttpExchange, type HttpResult, type PostResult } from './http-exchange.ts';
import type { TrustedCertificates } from './tls.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** When a host has several addresses, each but the last is tried for this long. */
const ATTEMPT_TIMEOUT_MS = 1_000;
const MAX_KEEP_ALIVE_MS = 60_000;
const MAX_KEPT_OF_POST_BYTES = 4 * 1024;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface GuardedClientOptions {
  /** Development: this machine may be dialled as well, and http is allowed. */
  allowLoopback: boolean;
  /** Further requests to an origin (scheme, host and port) wait for one of its connections, in their own time. */
  maxConnectionsPerOrigin: number;
  /** http is allowed too, without loopback: for images of mail, of which some stand there. Default: no. */
  allowHttp?: boolean;
  /** `ip:port` of the DNS resolver; default: those of the system. */
  dns?: string | null;
  /** Default: those of Node. */
  ca?: TrustedCertificates;
}

export interface PostRequest {
  headers: Record<string, string>;
  body: string;
  /** Looking up, connecting, sending and the whole answer together take no longer. */
  timeoutMs: number;
  /** Breaks the request off; what was sent may have arrived. */
  signal?: AbortSignal;
}

export interface GetRequest {
  headers: Record<string, string>;
  /** As in `PostRequest`. */
  timeoutMs: number;
  /** How much of the body is kept. */
  maxKeptBytes: number;
}

export interface DownloadRequest extends GetRequest {
  /** How many redirects are followed. Their time is that of the request. */
  maxRedirects: number;
  signal?: AbortSignal;
}

export interface DownloadResult
  extends Pick<HttpResult, 'httpStatus' | 'error' | 'body' | 'responseTruncated'> {
  contentType: string | null;
}

export interface GetResult extends PostResult, Pick<HttpResult, 'errorCode'> {
  /** The field of the answer as it stands. */
  contentType: string | null;
}

/** A request as both kinds have it in common. */
interface GuardedRequest extends GetRequest {
  method: 'GET' | 'POST';
  body: string | null;
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

  /** Never rejects because of the URL or the far side: `error` of the result says what is wrong. */
  async post(url: string, request: PostRequest): Promise<PostResult> {
    const whole = { ...request, method: 'POST', maxKeptBytes: MAX_KEPT_OF_POST_BYTES } as const;
    const { headers: _, errorCode: __, wasSent: ___, body: ____, ...result } = await this.#send(url, whole);
    return result;
  }

  /** Rejects as rarely as `post`. */
  async get(url: string, request: GetRequest): Promise<GetResult> {
    const whole = { ...request, method: 'GET', body: null } as const;
    const { headers, wasSent: _, body: __, ...result } = await this.#send(url, whole);
    return { ...result, contentType: single(headers['content-type']) };
  }

  /** Bytes, of any size that the caller wants to hold. Rejects as rarely as `post`. */
  async download(url: string, request: DownloadRequest): Promise<DownloadResult> {
    const endsAt = performance.now() + request.timeoutMs;
    let target = url;
    for (let left = request.maxRedirects; ; left--) {
      const timeoutMs = Math.max(1, endsAt - performance.now());
      const result = await this.#send(target, { ...request, timeoutMs, method: 'GET', body: null });
      const { httpStatus, error, headers, body, responseTruncated } = result;
      const location = single(headers['location']);
      if (httpStatus === null || !REDIRECTS.has(httpStatus) || location === null || left === 0)
        return { httpStatus, error, body, responseTruncated, contentType: single(headers['content-type']) };
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

  /** Breaks off what is still under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await (await this.#loading)?.destroy();
  }

  /** Loaded by the first request: undici takes 0.1 s and 30 MB, and many processes never need it. */
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
      // An IP address in a URL never reaches the look-up, so it is checked here.
      if (isIP(hostname) !== 0 && !isDialable(hostname, { allowLoopback })) {
        callback(new LookupBlocked('the address is not public'), null);
      } else connect(options, callback);
    },
    connections: maxConnectionsPerOrigin,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    ...CONNECTION_OPTIONS,
  });
}
