/** Sends signed requests to the SES API over persistent connections. */
import { hash } from 'node:crypto';
import { Pool } from 'undici';
import { awsHost } from '../../../net/aws-host.ts';
import { CONNECTION_OPTIONS, HttpExchange, type HttpResult } from '../../../net/http-exchange.ts';
import { readSesResponse, type SesResponse } from './ses-response.ts';
import { amzDate, authorization, type AwsCredentials } from '../../../net/sigv4.ts';
import * as clock from '../../../model/clock.ts';

/** The timeout for a connection and its handshake. */
const CONNECT_MS = 10_000;
const WAIT_MS = 60_000;
const MAX_BODY_BYTES = 64 * 1024;

export interface SesClientOptions extends AwsCredentials {
  region: string;
  /** The origin of an alternative endpoint. Null: the endpoint of Amazon. */
  endpoint: string | null;
  maxConnections: number;
  /** The timeout for the wait for a free connection, and again for the whole response, in milliseconds. Default: 60,000. */
  waitMs?: number;
}

export const SEND_PATH = '/v2/email/outbound-emails';

export type SesResult =
  | ({ kind: 'answer'; body: string } & SesResponse)
  /** Nothing was sent. */
  | { kind: 'unsent'; why: string }
  /** The request was sent, at least in part, but got no response. */
  | { kind: 'lost'; why: string }
  | { kind: 'abandoned' };

export class SesClient {
  /** The origin of the endpoint, such as `https://email.eu-central-1.amazonaws.com`. */
  readonly origin: string;
  readonly #options: SesClientOptions;
  readonly #host: string;
  readonly #pool: Pool;

  constructor(options: SesClientOptions) {
    this.#options = options;
    this.origin = options.endpoint ?? `https://${awsHost('email', options.region)}`;
    this.#host = new URL(this.origin).host;
    this.#pool = new Pool(this.origin, {
      connections: options.maxConnections,
      connectTimeout: CONNECT_MS,
      autoSelectFamily: true,
      ...CONNECTION_OPTIONS,
      // Close idle connections before SES does. If SES closed a connection first, it would be unknown whether SES handled the last request
      // on that connection.
      keepAliveMaxTimeout: CONNECTION_OPTIONS.keepAliveTimeout,
    });
  }

  /**
   * Queries the account of the credentials. The query is free of charge, changes nothing, and needs the permission ses:GetAccount. Never
   * rejects.
   */
  getAccount(): Promise<SesResult> {
    return this.#request('GET', '/v2/email/account', null, () => true);
  }

  /**
   * Sends an email. Never rejects.
   * @param body JSON
   * @param mayCommit called in the same tick of the event loop as the write of the request; if false, nothing is written
   */
  sendEmail(body: Buffer, mayCommit: () => boolean): Promise<SesResult> {
    return this.#request('POST', SEND_PATH, body, mayCommit);
  }

  #request(
    method: 'GET' | 'POST',
    path: string,
    body: Buffer | null,
    mayCommit: () => boolean,
  ): Promise<SesResult> {
    const { waitMs = WAIT_MS } = this.#options;
    let wasAllowed = true;
    const maySend = () => (wasAllowed = mayCommit());
    return new Promise((resolve) => {
      const exchange = new HttpExchange(
        { timeoutMs: waitMs, responseTimeoutMs: waitMs, maxStoredBytes: MAX_BODY_BYTES, maySend },
        (result) => resolve(resultOf(result, wasAllowed)),
      );
      this.#pool.dispatch({ method, path, headers: this.#sign(method, path, body), body }, exchange);
    });
  }

  /** Aborts requests in flight. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #sign(method: string, path: string, body: Buffer | null): Record<string, string> {
    const headers = {
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      host: this.#host,
      'x-amz-date': amzDate(clock.now()),
    };
    const bodyHash = hash('sha256', body ?? '');
    const scope = { region: this.#options.region, service: 'ses' };
    return {
      ...headers,
      authorization: authorization({ method, path, headers, bodyHash }, this.#options, scope),
    };
  }
}

/** @param wasAllowed whether `mayCommit` returned true */
function resultOf(
  { httpStatus, headers, error, wasSent, responseBody, responseTruncated }: HttpResult,
  wasAllowed: boolean,
): SesResult {
  if (!wasAllowed) return { kind: 'abandoned' };
  if (httpStatus === null) return { kind: wasSent ? 'lost' : 'unsent', why: error ?? 'the request failed' };
  if (responseTruncated) return { kind: 'lost', why: 'the response is too long or was cut off' };
  const errorType = headers['x-amzn-errortype'];
  const answer = readSesResponse(httpStatus, typeof errorType === 'string' ? errorType : null, responseBody);
  return { kind: 'answer', ...answer, body: responseBody };
}
