/** One API call: the request, its attempts and the response. */
import type { ApiRequest, Call, SendOptions } from './request.ts';
import { jsonOf, PosthornError, problemOf } from './errors.ts';
import { mayHaveActed, parseRetryAfter, retryDelayMs } from './retry.ts';

export interface PosthornOptions {
  /** The API key, which begins with `svc_live_`. */
  apiKey: string;
  /** The URL of the service without `/v1`, such as `https://mail.example.com`. */
  baseUrl: string;
  /** Replaces the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** The maximum number of retries per call. Default: 2. 0 disables retries. */
  maxRetries?: number | undefined;
  /** The time limit of each attempt in milliseconds, from connecting to the end of the response. Default: 30,000. */
  timeoutMs?: number | undefined;
}

/** The clock, waits and random numbers, which tests replace. */
export interface Surroundings {
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
  nowMs(): number;
  random(): number;
}

const DEFAULT_MAX_RETRIES = 2;
const DEFAULT_TIMEOUT_MS = 30_000;

/** @throws TypeError for an invalid option */
export function createCall(
  options: PosthornOptions,
  surroundings: Surroundings = { wait, nowMs: Date.now, random: Math.random },
): Call {
  const { apiKey, baseUrl, maxRetries = DEFAULT_MAX_RETRIES, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  // Without this check, the error of `fetch` would contain the invalid key.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError(
      'apiKey is empty or contains invalid characters. Copy the whole key, without spaces or line breaks.',
    );
  const base = baseOf(baseUrl);
  if (!(maxRetries >= 0)) throw new TypeError('maxRetries must be 0 or more');
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31))
    throw new TypeError('timeoutMs must be more than 0 and less than 2147483648 milliseconds');
  const fetch = options.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init));

  /** Makes one attempt. Returns a PosthornError instead of throwing it, because another attempt may follow. */
  async function attempt(url: string, init: RequestInit, signal?: AbortSignal): Promise<unknown> {
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    const timer = setTimeout(
      () => controller.abort(new DOMException('Timed out', 'TimeoutError')),
      timeoutMs,
    );
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const response = await fetch(url, { ...init, signal: controller.signal });
      return answerOf(response, await response.text(), surroundings.nowMs());
    } catch (error) {
      signal?.throwIfAborted();
      const isLate = controller.signal.aborted;
      return new PosthornError({
        status: null,
        problem: null,
        title: isLate
          ? `No response within ${timeoutMs} ms`
          : 'The service cannot be reached, or the connection was lost',
        cause: isLate ? controller.signal.reason : error,
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  return async function call<Answer>(request: ApiRequest, { signal, idempotencyKey }: SendOptions = {}) {
    const { method, body, takesIdempotencyKey = false } = request;
    const url = base + pathOf(request) + queryOf(request);
    const init: RequestInit = {
      method,
      headers: new Headers({
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(takesIdempotencyKey ? { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() } : {}),
      }),
      body: body === undefined ? null : JSON.stringify(body),
      // Do not follow redirects, because a redirected POST would become a GET.
      redirect: 'manual',
    };
    // A PATCH in this API sets fields to given values, so repeating a PATCH changes nothing.
    const isRepeatable = method !== 'POST' || takesIdempotencyKey || request.isRepeatable === true;
    let mayBeDone = false;
    for (let retries = 0; ; retries += 1) {
      signal?.throwIfAborted();
      const answer = await attempt(url, init, signal);
      if (!(answer instanceof PosthornError)) return answer as Answer;
      // An earlier attempt has probably deleted the resource, and its response was lost.
      if (method === 'DELETE' && answer.status === 404 && mayBeDone) return undefined as Answer;
      const delayMs =
        retries < maxRetries ? retryDelayMs(answer, isRepeatable, retries, surroundings.random()) : null;
      if (delayMs === null) throw answer;
      mayBeDone ||= mayHaveActed(answer);
      await surroundings.wait(delayMs, signal);
    }
  };
}

function baseOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError('baseUrl must be an http or https URL');
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new TypeError('baseUrl must not have a query, a fragment, a user name or a password');
  return url.href.replace(/\/+$/, '');
}

function pathOf({ path, id, part }: ApiRequest): string {
  // `part` first, because `id` replaces the first name in braces.
  const filled = part === undefined ? path : path.replace('{part}', () => segmentOf(part));
  return id === undefined ? filled : filled.replace(/\{\w+\}/, () => segmentOf(id));
}

function segmentOf(id: unknown): string {
  // `fetch` resolves a segment of dots, so DELETE with the id ".." would be sent to the path of the list.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id))
    throw new TypeError('The id is empty or invalid: pass the id of a resource');
  return encodeURIComponent(id);
}

function queryOf({ query = {} }: ApiRequest): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return '';
  return `?${new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

function answerOf(response: Response, text: string, nowMs: number): unknown {
  const { status, ok, headers } = response;
  if (ok && text === '') return undefined;
  const body = ok ? jsonOf(text) : undefined;
  if (body !== undefined) return body;
  return new PosthornError({
    status,
    problem: problemOf(text),
    title: `HTTP ${status}, but the response is not from the API. Check baseUrl.`,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: parseRetryAfter(headers.get('retry-after'), nowMs),
  });
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    function abort(): void {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener('abort', abort, { once: true });
  });
}
