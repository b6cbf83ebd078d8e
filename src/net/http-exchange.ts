/** One HTTP request and its answer. */
import type { Dispatcher } from 'undici';
import { LookupBlocked } from './guarded-lookup.ts';
import { truncateUtf8, decodeTruncated } from './truncate-utf8.ts';

/** Read to its end up to this, or to what is kept, so that the connection can be used again; a longer body is broken off. */
const MAX_READ_BYTES = 64 * 1024;
const MAX_ERROR_BYTES = 500;

/** For undici: what is the same for all connections that exchanges go over. */
export const CONNECTION_OPTIONS = {
  allowH2: false,
  pipelining: 1,
  /** Shorter than servers keep idle connections: the next request must not meet a closed one. */
  keepAliveTimeout: 4_000,
  maxHeaderSize: 16_384,
  // The one limit of an exchange is its own.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

export interface PostResult {
  /** Null: there was no answer, and `error` says why. A status line is an answer, even when the body breaks off. */
  httpStatus: number | null;
  /** For the person who chose the URL. Null when there was an answer. */
  error: string | null;
  durationMs: number;
  /** At most 4 KB of UTF-8, without NUL. */
  responseBody: string;
  /** There was more than that, or the body broke off. */
  responseTruncated: boolean;
}

export interface HttpResult extends PostResult {
  /** The header of the answer. */
  headers: Headers;
  /** At most `maxKeptBytes`. */
  body: Buffer;
  /** The code of `error` in Node, OpenSSL or undici; null when it has none. */
  errorCode: string | null;
  /** The request was sent, at least in part. */
  wasSent: boolean;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface HttpExchangeOptions {
  timeoutMs: number;
  /** Time from the sending of the request; `timeoutMs` is then for the connection alone. Absent: `timeoutMs` is for both. */
  answerMs?: number;
  /** How much of the body is kept. */
  maxKeptBytes: number;
  signal?: AbortSignal;
  /** Asked in the same turn in which the request is written. False: nothing is. */
  maySend?: () => boolean;
}

/**
 * Collects what undici reports of an answer. A stream and a signal for each request would cost more than all the rest. It ends
 * once, with whichever is first: the end of the answer, an error, a time-out, the caller's signal.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly #startedMs = performance.now();
  readonly #options: HttpExchangeOptions;
  readonly #resolve: (result: HttpResult) => void;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #httpStatus: number | null = null;
  #headers: Headers = {};
  #errorCode: string | null = null;
  #chunks: Buffer[] = [];
  #receivedBytes = 0;
  isOver = false;

  constructor(options: HttpExchangeOptions, resolve: (result: HttpResult) => void) {
    const { timeoutMs, signal } = options;
    this.#options = options;
    this.#resolve = resolve;
    this.#timer = setTimeout(this.#onTimeout, timeoutMs, timeoutMs);
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted === true) this.#onAbort();
  }

  /** Ends it with an error of ours. */
  fail(error: string): void {
    this.#end(error, true);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { answerMs, maySend } = this.#options;
    // Its time was up while it waited for a connection.
    if (this.isOver || maySend?.() === false) {
      this.#end('it may not be sent any more', true);
      controller.abort(new Error('broken off'));
      return;
    }
    this.#controller = controller;
    if (answerMs === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onTimeout, answerMs, answerMs);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number, headers: Headers): void {
    // A 1xx status comes before the answer and is not the answer.
    if (statusCode < 200) return;
    this.#httpStatus = statusCode;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#receivedBytes <= this.#options.maxKeptBytes) this.#chunks.push(chunk);
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes <= Math.max(MAX_READ_BYTES, this.#options.maxKeptBytes)) return;
    this.#end('', true);
    this.#breakOff();
  }

  onResponseEnd(): void {
    this.#end('', false);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const { code } = error as { code?: unknown };
    this.#errorCode = typeof code === 'string' ? code : null;
    this.#end(errorText(error), true);
  }

  readonly #onTimeout = (timeoutMs: number): void => {
    const waitedFor = this.#controller === null ? 'a connection' : 'the answer';
    this.#end(`timed out after ${timeoutMs} ms, waiting for ${waitedFor}`, true);
    this.#breakOff();
  };

  readonly #onAbort = (): void => {
    this.#end('given up by the service', true);
    this.#breakOff();
  };

  /** Closes the connection. */
  #breakOff(): void {
    this.#controller?.abort(new Error('broken off'));
  }

  #end(error: string, brokeOff: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.#timer);
    const { maxKeptBytes, signal } = this.#options;
    signal?.removeEventListener('abort', this.#onAbort);
    const bytes = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#resolve({
      httpStatus: this.#httpStatus,
      headers: this.#headers,
      error: this.#httpStatus === null ? error : null,
      errorCode: this.#httpStatus === null ? this.#errorCode : null,
      wasSent: this.#controller !== null,
      durationMs: Math.round(performance.now() - this.#startedMs),
      body: bytes.subarray(0, maxKeptBytes),
      responseBody: decodeTruncated(bytes, Math.min(maxKeptBytes, MAX_READ_BYTES)),
      responseTruncated: this.#httpStatus !== null && (brokeOff || this.#receivedBytes > maxKeptBytes),
    });
  }
}

const TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed before an answer',
  EPIPE: 'the connection was closed before an answer',
  UND_ERR_SOCKET: 'the connection was closed before an answer',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ETIMEDOUT: 'no connection in time',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  UND_ERR_HEADERS_OVERFLOW: 'the header of the answer is too large',
  UND_ERR_DESTROYED: 'given up by the service',
};

/** For the person who chose the URL: no IP addresses, and texts of the far side are cut. */
function errorText(error: Error): string {
  if (error instanceof LookupBlocked) return error.message;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const text = TEXTS[code];
  if (text !== undefined) return text;
  if (code.startsWith('HPE_')) return 'the answer is not HTTP/1.1';
  if (code.startsWith('ERR_SSL_')) return `TLS: the handshake failed (${code})`;
  if (/^(?:CERT_|ERR_TLS_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/.test(code)) {
    return truncateUtf8(`TLS: ${error.message}`.replaceAll('\u0000', '\ufffd'), MAX_ERROR_BYTES);
  }
  return code === '' ? 'the request failed' : `the request failed (${code})`;
}
