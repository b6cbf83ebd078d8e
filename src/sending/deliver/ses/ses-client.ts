/** Signed requests to the API of SES, over connections that are kept. */
import { hash } from 'node:crypto';
import { Pool } from 'undici';
import { awsHost } from '../../../net/aws-host.ts';
import { CONNECTION_OPTIONS, HttpExchange, type HttpResult } from '../../../net/http-exchange.ts';
import { readSesResponse, type SesResponse } from './ses-response.ts';
import { amzDate, authorization, type AwsCredentials } from '../../../net/sigv4.ts';
import * as clock from '../../../model/clock.ts';

/** For a connection, with its handshake. */
const CONNECT_MS = 10_000;
const WAIT_MS = 60_000;
const MAX_BODY_BYTES = 64 * 1024;

export interface SesClientOptions extends AwsCredentials {
  region: string;
  /** Origin of another place than Amazon's own; null: Amazon's. */
  endpoint: string | null;
  maxConnections: number;
  /** For a place on a connection, and then again for the whole answer. Default 60,000. */
  waitMs?: number;
}

export const SEND_PATH = '/v2/email/outbound-emails';

export type SesResult =
  | ({ kind: 'answer'; body: string } & SesResponse)
  /** Nothing was sent. */
  | { kind: 'unsent'; why: string }
  /** It was sent, at least in part, and not answered. */
  | { kind: 'lost'; why: string }
  | { kind: 'abandoned' };

export class SesClient {
  /** Such as `https://email.eu-central-1.amazonaws.com`. */
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
      // What is sent on a connection that was closed is in doubt.
      keepAliveMaxTimeout: CONNECTION_OPTIONS.keepAliveTimeout,
    });
  }

  /** Asks for the account behind the credentials: costs nothing, changes nothing, and needs ses:GetAccount. Never rejects. */
  getAccount(): Promise<SesResult> {
    return this.#request('GET', '/v2/email/account', null, () => true);
  }

  /**
   * Never rejects.
   * @param body JSON
   * @param mayCommit asked in the same turn in which the request is written. False: nothing is.
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
        { timeoutMs: waitMs, answerMs: waitMs, maxKeptBytes: MAX_BODY_BYTES, maySend },
        (result) => resolve(resultOf(result, wasAllowed)),
      );
      this.#pool.dispatch({ method, path, headers: this.#sign(method, path, body), body }, exchange);
    });
  }

  /** Breaks off what is still under way. */
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

/** @param wasAllowed whether the request might be sent when its turn came */
function resultOf(
  { httpStatus, headers, error, wasSent, responseBody, responseTruncated }: HttpResult,
  wasAllowed: boolean,
): SesResult {
  if (!wasAllowed) return { kind: 'abandoned' };
  if (httpStatus === null) return { kind: wasSent ? 'lost' : 'unsent', why: error ?? 'the request failed' };
  if (responseTruncated) return { kind: 'lost', why: 'the answer is too long, or broke off' };
  const errorType = headers['x-amzn-errortype'];
  const answer = readSesResponse(httpStatus, typeof errorType === 'string' ? errorType : null, responseBody);
  return { kind: 'answer', ...answer, body: responseBody };
}
