/** The HTTP client of all tests. It checks every response against the OpenAPI document that the service itself serves. */
import { type Contract, contractOf, type Received } from './openapi.ts';

interface ApiResponse<Body> extends Received {
  body: Body;
}

export interface RequestOptions {
  headers?: Record<string, string>;
  /** A body that is sent as JSON. */
  body?: unknown;
  /** A body that is sent unchanged, instead of `body`. */
  rawBody?: string | Uint8Array;
}

type Json = Record<string, unknown>;

export interface ApiClient {
  get<Body = Json>(path: string, options?: RequestOptions): Promise<ApiResponse<Body>>;
  post<Body = Json>(path: string, body?: unknown, options?: RequestOptions): Promise<ApiResponse<Body>>;
  patch<Body = Json>(path: string, body?: unknown, options?: RequestOptions): Promise<ApiResponse<Body>>;
  delete<Body = Json>(path: string, options?: RequestOptions): Promise<ApiResponse<Body>>;
  request<Body = Json>(method: string, path: string, options?: RequestOptions): Promise<ApiResponse<Body>>;
}

/** OpenAPI documents, by the base URL of their service. */
const contracts = new Map<string, Promise<Contract>>();

/** Fetches the OpenAPI document of a running service. */
export async function servedContract(baseUrl: string): Promise<Contract> {
  const response = await fetch(`${baseUrl}/openapi.yaml`);
  return contractOf(await response.text());
}

/** Makes clients check the responses of a service against this document, without fetching the service's own document. */
export function checkAgainst(contract: Contract, baseUrl: string): void {
  contracts.set(baseUrl, Promise.resolve(contract));
}

function contractAt(baseUrl: string): Promise<Contract> {
  const contract = contracts.get(baseUrl) ?? servedContract(baseUrl);
  contracts.set(baseUrl, contract);
  return contract;
}

/**
 * A client whose methods throw an AssertionError if a response is not documented. Documented errors are returned.
 * @param token the API key. Without a token, no Authorization header is sent
 */
export function apiClient(baseUrl: string, token?: string): ApiClient {
  async function request<Body>(
    method: string,
    path: string,
    { headers = {}, body, rawBody }: RequestOptions = {},
  ): Promise<ApiResponse<Body>> {
    const sent = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: sent ?? null,
      redirect: 'manual',
    });
    const text = await response.text();
    const isJson = /^application\/(?:problem\+)?json\b/.test(response.headers.get('content-type') ?? '');
    const received = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? (JSON.parse(text) as Body) : null,
    };
    (await contractAt(baseUrl)).check(method, path, received);
    // The cast is safe enough: a test that reads an absent body fails.
    return received as ApiResponse<Body>;
  }

  return {
    request,
    get: (path, options) => request('GET', path, options),
    post: (path, body, options) => request('POST', path, { body, ...options }),
    patch: (path, body, options) => request('PATCH', path, { body, ...options }),
    delete: (path, options) => request('DELETE', path, options),
  };
}
