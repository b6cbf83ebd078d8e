/** One call of the API: request, attempts and response. */
import type { ApiRequest, Call, SendOptions } from './request.ts';
import { jsonOf, PosthornError, problemOf } from './errors.ts';
import { mayHaveActed, parseRetryAfter, retryDelayMs } from './retry.ts';

export interface PosthornOptions {
  /** Begins with `svc_live_`. */
  apiKey: string;
  /** The URL of the service without `/v1`, such as `https://mail.example.com`. */
  baseUrl: string;
  /** Replaces the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Number of retries of a call; default 2, 0 for none. */
  maxRetries?: number | undefined;
  /** The time limit of each attempt, from connecting to the end of the response; default 30,000. */
  timeoutMs?: number | undefined;
}

/** Clock, waits and random numbers, replaced in tests. */
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
  // fetch would include an invalid key in its error.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey is empty or contains invalid characters');
  const base = baseOf(baseUrl);
  if (!(maxRetries >= 0)) throw new TypeError('maxRetries must be a number of at least 0');
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31))
    throw new TypeError('timeoutMs must be above 0 and below 2147483648');
  const fetch = options.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init));

  /** Returns a PosthornError instead of throwing it, because another attempt may follow. */
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
      // A redirected POST would become a GET.
      redirect: 'manual',
    };
    // A PATCH of this API sets fields to given values, so repeating it changes nothing.
    const isRepeatable = method !== 'POST' || takesIdempotencyKey || request.isRepeatable === true;
    let mayBeDone = false;
    for (let retries = 0; ; retries += 1) {
      signal?.throwIfAborted();
      const answer = await attempt(url, init, signal);
      if (!(answer instanceof PosthornError)) return answer as Answer;
      // An earlier attempt deleted the resource, but its response was lost.
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

function pathOf({ path, id }: ApiRequest): string {
  if (id === undefined) return path;
  // Dots would lead to another operation: DELETE with the id ".." would address the list.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError('The id is empty or invalid');
  return path.replace(/\{\w+\}/, () => encodeURIComponent(id));
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
