/** Signed requests to the API of SES, over connections that are kept. */
import { hash } from 'node:crypto';
import { type Dispatcher, Pool } from 'undici';
import { awsHost } from '../../../net/aws-host.ts';
import { amzDate, authorization, type AwsCredentials } from './sigv4.ts';

/** For a connection, with its handshake. */
const CONNECT_MS = 10_000;
const WAIT_MS = 60_000;
/** Shorter than servers keep idle connections: what is sent on a closed one is in doubt. */
const KEEP_ALIVE_MS = 4_000;
const MAX_HEADER_BYTES = 16_384;
const MAX_BODY_BYTES = 64 * 1024;

export interface SesClientOptions extends AwsCredentials {
  region: string;
  /** Origin of another place than Amazon's own; null: Amazon's. */
  endpoint: string | null;
  maxConnections: number;
  /** For a place on a connection, and then again for the whole answer. Default 60,000. */
  waitMs?: number;
}

export interface SesRequest {
  method: 'GET' | 'POST';
  path: string;
  /** JSON. */
  body: Buffer | null;
  /** Asked in the same turn in which the request is written. False: nothing is. */
  mayCommit(): boolean;
}

export type SesResult =
  | { kind: 'answer'; status: number; errorType: string | null; body: string }
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
      pipelining: 1,
      allowH2: false,
      connectTimeout: CONNECT_MS,
      autoSelectFamily: true,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The one limit of an exchange is its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Never rejects. */
  request(request: SesRequest): Promise<SesResult> {
    const { method, path, body } = request;
    return new Promise((resolve) => {
      const headers = this.#sign(request);
      const { waitMs = WAIT_MS } = this.#options;
      const exchange = new Exchange(request, waitMs, resolve);
      this.#pool.dispatch({ method, path, headers, body }, exchange);
    });
  }

  /** Breaks off what is still under way. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #sign({ method, path, body }: SesRequest): Record<string, string> {
    const headers = {
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      host: this.#host,
      'x-amz-date': amzDate(new Date()),
    };
    const bodyHash = hash('sha256', body ?? '');
    const scope = { region: this.#options.region, service: 'ses' };
    return {
      ...headers,
      authorization: authorization({ method, path, headers, bodyHash }, this.#options, scope),
    };
  }
}

/** One request and its answer. It is over once. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #mayCommit: () => boolean;
  readonly #waitMs: number;
  readonly #resolve: (result: SesResult) => void;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #errorType: string | null = null;
  readonly #chunks: Buffer[] = [];
  #octets = 0;
  #isOver = false;

  constructor(
    { mayCommit }: Pick<SesRequest, 'mayCommit'>,
    waitMs: number,
    resolve: (result: SesResult) => void,
  ) {
    this.#mayCommit = mayCommit;
    this.#waitMs = waitMs;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.#end({ kind: 'unsent', why: 'no connection in time' }), waitMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver || !this.#mayCommit()) {
      this.#end({ kind: 'abandoned' });
      controller.abort(new Error('abandoned'));
      return;
    }
    this.#controller = controller;
    clearTimeout(this.#timer);
    const why = `no answer within ${this.#waitMs / 1_000} seconds`;
    this.#timer = setTimeout(() => this.#lose(why), this.#waitMs);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // What comes before the answer (1xx) is none.
    if (status < 200) return;
    this.#status = status;
    const errorType = headers['x-amzn-errortype'];
    this.#errorType = typeof errorType === 'string' ? errorType : null;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#octets += chunk.length;
    if (this.#octets > MAX_BODY_BYTES) this.#lose('the answer is too long');
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks).toString();
    this.#end({ kind: 'answer', status: this.#status, errorType: this.#errorType, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    // Of several addresses that were tried the error has a code alone.
    const why = error.message || ((error as NodeJS.ErrnoException).code ?? 'the request failed');
    this.#end({ kind: this.#controller === null ? 'unsent' : 'lost', why });
  }

  #lose(why: string): void {
    this.#end({ kind: 'lost', why });
    this.#controller?.abort(new Error('broken off'));
  }

  #end(result: SesResult): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#resolve(result);
  }
}
