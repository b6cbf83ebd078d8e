/** One call of the API: its request, its attempts, its answer. */
import type { ApiRequest, Call, SendOptions } from './request.ts';
import { jsonOf, PosthornError, problemOf } from './errors.ts';
import { mayHaveActed, parseRetryAfter, retryDelayMs } from './retry.ts';

export interface PosthornOptions {
  /** Begins with `svc_live_`. */
  apiKey: string;
  /** The address of the service, such as `https://mail.example.com`, without `/v1`. */
  baseUrl: string;
  /** Used instead of the global one. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** How often a call is tried again; default 2, 0: never. */
  maxRetries?: number | undefined;
  /** For each attempt, from the connection to the end of the answer; default 30,000. */
  timeoutMs?: number | undefined;
}

/** Time and chance, so that tests need not wait. */
export interface Surroundings {
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
  nowMs(): number;
  random(): number;
}

const DEFAULT_MAX_RETRIES = 2;
const DEFAULT_TIMEOUT_MS = 30_000;

/** @throws TypeError for an option that cannot work */
export function createCall(
  options: PosthornOptions,
  surroundings: Surroundings = { wait, nowMs: Date.now, random: Math.random },
): Call {
  const { apiKey, baseUrl, maxRetries = DEFAULT_MAX_RETRIES, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  // fetch would name the key in its own error.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('apiKey is empty or has characters that no key has');
  const base = baseOf(baseUrl);
  if (!(maxRetries >= 0)) throw new TypeError('maxRetries is not a number of retries');
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31)) throw new TypeError('timeoutMs is not a time in milliseconds');
  const fetch = options.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init));

  /** A PosthornError is returned, not thrown: another attempt may follow. */
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
          ? `No answer within ${timeoutMs} ms`
          : 'The service cannot be reached, or the connection broke off',
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
      // A POST that follows a redirect would become a GET.
      redirect: 'manual',
    };
    // A PATCH of this API sets fields to what it says, however often.
    const isRepeatable = method !== 'POST' || takesIdempotencyKey || request.isRepeatable === true;
    let isPerhapsDone = false;
    for (let retries = 0; ; retries += 1) {
      signal?.throwIfAborted();
      const answer = await attempt(url, init, signal);
      if (!(answer instanceof PosthornError)) return answer as Answer;
      // An earlier attempt deleted it, and its answer was lost.
      if (method === 'DELETE' && answer.status === 404 && isPerhapsDone) return undefined as Answer;
      const delayMs =
        retries < maxRetries ? retryDelayMs(answer, isRepeatable, retries, surroundings.random()) : null;
      if (delayMs === null) throw answer;
      isPerhapsDone ||= mayHaveActed(answer);
      await surroundings.wait(delayMs, signal);
    }
  };
}

function baseOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError('baseUrl is not an http or https URL');
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new TypeError('baseUrl has more than an address and a path');
  return url.href.replace(/\/+$/, '');
}

function pathOf({ path, id }: ApiRequest): string {
  if (id === undefined) return path;
  // Dots would lead to another operation: deleting ".." would leave the emails.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError('the id is empty or not an id');
  return path.replace(/\{\w+\}/, () => encodeURIComponent(id));
}

function queryOf({ query = {} }: ApiRequest): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

function answerOf(response: Response, text: string, nowMs: number): unknown {
  const { status, ok, headers } = response;
  if (ok && text === '') return undefined;
  const body = ok ? jsonOf(text) : undefined;
  if (body !== undefined) return body;
  return new PosthornError({
    status,
    problem: problemOf(text),
    title: `HTTP ${status}, but not an answer of the API: is baseUrl right?`,
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
