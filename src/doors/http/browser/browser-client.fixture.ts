/**
 * A client that acts like a browser: it stores the session cookie and sends its origin. Validates every response against the OpenAPI
 * document.
 */
import { type Contract, contractOf } from '../../../../test/support/openapi.ts';
import { csrfTokenOf } from './csrf.ts';

type Json = Record<string, unknown>;

interface BrowserResponse<Body> {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

interface RequestOptions {
  headers?: Record<string, string>;
  body?: unknown;
}

type WithBody = <Body = Json>(
  path: string,
  body?: unknown,
  options?: RequestOptions,
) => Promise<BrowserResponse<Body>>;
type WithoutBody = <Body = Json>(path: string, options?: RequestOptions) => Promise<BrowserResponse<Body>>;

export interface BrowserClient {
  get: WithoutBody;
  post: WithBody;
  put: WithBody;
  patch: WithBody;
  delete: WithoutBody;
  request<Body = Json>(
    method: string,
    path: string,
    options?: RequestOptions,
  ): Promise<BrowserResponse<Body>>;
}

/** The session data that a browser stores. */
interface SessionData {
  /** The cookie as `name=value`. */
  cookie: string;
  token: string;
}

/**
 * @param api the prefix of the API, such as `/mail/api`
 * @returns a function that creates a client for the paths below `prefix`; without session data the client is not signed in
 */
export function browserClients(
  baseUrl: string,
  api: string,
): (prefix: string, kept: SessionData | null) => BrowserClient {
  let contract: Promise<Contract> | undefined;
  return (prefix, kept) => {
    async function request<Body>(
      method: string,
      path: string,
      { headers = {}, body }: RequestOptions = {},
    ): Promise<BrowserResponse<Body>> {
      const whole = `${api}${prefix}${path}`;
      const response = await fetch(baseUrl + whole, {
        method,
        headers: {
          ...(kept !== null && { cookie: kept.cookie, 'x-csrf-token': csrfTokenOf(kept.token) }),
          ...(method !== 'GET' && { origin: baseUrl }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        redirect: 'manual',
      });
      const text = await response.text();
      const isJson = /^application\/(?:problem\+)?json\b/.test(response.headers.get('content-type') ?? '');
      const received = {
        status: response.status,
        headers: response.headers,
        text,
        // A HEAD response has no body.
        body: isJson && text !== '' ? (JSON.parse(text) as Body) : null,
      };
      contract ??= fetch(`${baseUrl}${api}/openapi.json`).then(async (found) =>
        contractOf(await found.text()),
      );
      (await contract).check(
        method,
        whole,
        isJson ? received : { ...received, body: text === '' ? null : text },
      );
      // If a test reads a missing body, the test fails.
      return received as BrowserResponse<Body>;
    }
    return {
      request,
      get: (path, options) => request('GET', path, options),
      post: (path, body, options) => request('POST', path, { body, ...options }),
      put: (path, body, options) => request('PUT', path, { body, ...options }),
      patch: (path, body, options) => request('PATCH', path, { body, ...options }),
      delete: (path, options) => request('DELETE', path, options),
    };
  };
}
