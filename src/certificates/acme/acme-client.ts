/** A client of one ACME server (RFC 8555), for one account. */
import type { KeyObject } from 'node:crypto';
import type { Agent } from 'undici';
import { CONNECTION_OPTIONS, HttpExchange, type HttpResult } from '../../net/http-exchange.ts';
import type { TrustedCertificates } from '../../net/tls.ts';
import {
  type AcmeDirectory,
  readDirectory,
  readLocation,
  readProblem,
  readRetryAfter,
} from '../../rfc/acme/responses.ts';
import { signedRequest } from '../../rfc/acme/jws.ts';

/** The error if the server rejects a request, is unavailable, or sends an invalid response. The message is for the operator. */
export class AcmeFault extends Error {
  override readonly name = 'AcmeFault';
  /** How long the server asks clients to wait; null if it does not ask. */
  readonly retryAfterMs: number | null;

  constructor(message: string, retryAfterMs: number | null = null) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

export interface AcmeResponse {
  text: string;
  /** The parsed body. Undefined if the response is not JSON. */
  json: unknown;
  /** The resolved Location header; null if the header is missing or its URL is not safe. */
  location: string | null;
  retryAfterMs: number | null;
}

const REQUEST_MS = 30_000;
const MAX_BYTES = 64 * 1024;
/**
 * The maximum number of retries with a new nonce. A server may invalidate all nonces at any time, so a rejected nonce is not yet an error.
 */
const MAX_REJECTED_NONCES = 5;
const JOSE = 'application/jose+json';
const USER_AGENT = 'Posthorn';

export class AcmeClient implements AsyncDisposable {
  readonly #key: KeyObject;
  readonly #signal: AbortSignal;
  readonly #agent: Agent;
  readonly directory: AcmeDirectory;
  #account: string | null = null;
  #nonce: string | null = null;

  private constructor(key: KeyObject, signal: AbortSignal, agent: Agent, directory: AcmeDirectory) {
    this.#key = key;
    this.#signal = signal;
    this.#agent = agent;
    this.directory = directory;
  }

  /**
   * Opens the account of the key. Creates the account if necessary, and thereby accepts the terms of the server.
   * @param signal aborts all requests
   * @param ca the authorities that the server's certificate is checked against. Default: Node's authorities
   * @throws AcmeFault
   */
  static async open(
    directoryUrl: string,
    key: KeyObject,
    signal: AbortSignal,
    ca?: TrustedCertificates,
  ): Promise<AcmeClient> {
    // undici is imported on demand, because it takes 30 MB and most processes never obtain a certificate.
    const { Agent } = await import('undici');
    const agent = new Agent({ ...CONNECTION_OPTIONS, connections: 1, connect: { ca } });
    try {
      const result = await exchange(agent, signal, directoryUrl, { method: 'GET' });
      const directory = readDirectory(parsed(result.responseBody));
      if (directory === null) throw new AcmeFault(`${directoryUrl} is not the directory of an ACME server`);
      const client = new AcmeClient(key, signal, agent, directory);
      const { location } = await client.post(directory.newAccount, { termsOfServiceAgreed: true });
      client.#account = location ?? fault('the ACME server sent no account URL');
      return client;
    } catch (error) {
      await agent.destroy();
      throw error;
    }
  }

  /** @param payload null for a POST-as-GET request, which only reads (RFC 8555, section 6.3) @throws AcmeFault */
  async post(url: string, payload: object | null): Promise<AcmeResponse> {
    for (let rejected = 0; ; rejected += 1) {
      const nonce = this.#nonce ?? (await this.#newNonce());
      this.#nonce = null;
      const body = signedRequest(this.#key, { url, nonce, account: this.#account }, payload);
      const result = await exchange(this.#agent, this.#signal, url, { method: 'POST', body });
      this.#nonce = fieldOf(result, 'replay-nonce');
      const { httpStatus, responseBody: text } = result;
      const retryAfterMs = readRetryAfter(result.headers['retry-after'], Date.now());
      const json = parsed(text);
      if (httpStatus !== null && httpStatus < 300)
        return { text, json, location: readLocation(result.headers['location'], url), retryAfterMs };
      const problem = readProblem(json);
      if (problem?.type === 'badNonce' && rejected < MAX_REJECTED_NONCES) continue;
      const reason = problem === null ? `HTTP ${httpStatus}` : `${problem.type}: ${problem.detail}`;
      throw new AcmeFault(`the ACME server rejected the request: ${reason}`, retryAfterMs);
    }
  }

  async #newNonce(): Promise<string> {
    const result = await exchange(this.#agent, this.#signal, this.directory.newNonce, { method: 'HEAD' });
    return fieldOf(result, 'replay-nonce') ?? fault('the ACME server sent no nonce');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

/** @throws AcmeFault if there is no response */
async function exchange(
  agent: Agent,
  signal: AbortSignal,
  url: string,
  { method, body = null }: { method: 'GET' | 'HEAD' | 'POST'; body?: string | null },
): Promise<HttpResult> {
  const { origin, pathname, search } = new URL(url);
  const headers = { 'user-agent': USER_AGENT, ...(body !== null && { 'content-type': JOSE }) };
  const result = await new Promise<HttpResult>((resolve) => {
    const handler = new HttpExchange({ timeoutMs: REQUEST_MS, maxStoredBytes: MAX_BYTES, signal }, resolve);
    if (!handler.isOver) agent.dispatch({ origin, path: pathname + search, method, headers, body }, handler);
  });
  if (result.error !== null)
    throw new AcmeFault(`the ACME server at ${origin} cannot be reached: ${result.error}`);
  return result;
}

function fieldOf({ headers }: HttpResult, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fault(message: string): never {
  throw new AcmeFault(message);
}
