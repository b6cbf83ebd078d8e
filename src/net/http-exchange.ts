/** One HTTP request and its response. */
import type { Dispatcher } from 'undici';
import { LookupBlocked } from './guarded-lookup.ts';
import { truncateUtf8, decodeTruncated } from './truncate-utf8.ts';

/**
 * A body up to this size, or up to `maxStoredBytes`, is read to its end, so that the connection can be reused. If it is larger, the request
 * is aborted.
 */
const MAX_READ_BYTES = 64 * 1024;
const MAX_ERROR_BYTES = 500;

/** undici options for all connections of exchanges. */
export const CONNECTION_OPTIONS = {
  allowH2: false,
  pipelining: 1,
  /** Shorter than servers' own idle timeouts, so that a request is not sent over a connection that the server is just closing. */
  keepAliveTimeout: 4_000,
  maxHeaderSize: 16_384,
  // The exchange has its own timeout.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const;

export interface PostResult {
  /** The status of the response, even if its body is incomplete. Null if there was no response; see `error`. */
  httpStatus: number | null;
  /** An error message for the user who chose the URL. Null if there was a response. */
  error: string | null;
  durationMs: number;
  /** The beginning of the body: at most 4 KB of UTF-8, without NUL. */
  responseBody: string;
  /** True if the body was longer than `responseBody`, or incomplete. */
  responseTruncated: boolean;
}

export interface HttpResult extends PostResult {
  headers: Headers;
  /** The first `maxStoredBytes` bytes of the body. */
  body: Buffer;
  /** True if the body was longer than `body`, or incomplete. */
  bodyTruncated: boolean;
  /** The Node, OpenSSL or undici code of `error`. Null if the error has no code. */
  errorCode: string | null;
  /** True if the request was sent, at least in part. */
  wasSent: boolean;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface HttpExchangeOptions {
  timeoutMs: number;
  /**
   * The time limit for the response after the request was sent. If set, `timeoutMs` limits only the time until then; if not, the whole
   * exchange.
   */
  responseTimeoutMs?: number;
  /** The maximum number of body bytes in the result. */
  maxStoredBytes: number;
  signal?: AbortSignal;
  /** Called immediately before the request is written, in the same event-loop iteration. If it returns false, the request is not sent. */
  maySend?: () => boolean;
}

/**
 * Collects a response from undici's callbacks. A stream and an `AbortSignal` for each request would cost more than everything else here.
 * The exchange ends once, at the first of these events: the end of the response, an error, a timeout, or an abort by the caller's signal.
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

  /** Ends the exchange with this error. */
  fail(error: string): void {
    this.#end(error, true);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { responseTimeoutMs, maySend } = this.#options;
    // The exchange may have timed out while the request waited for a connection.
    if (this.isOver || maySend?.() === false) {
      this.#end('it may not be sent any more', true);
      controller.abort(new Error('broken off'));
      return;
    }
    this.#controller = controller;
    if (responseTimeoutMs === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onTimeout, responseTimeoutMs, responseTimeoutMs);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number, headers: Headers): void {
    // A 1xx status precedes the final response.
    if (statusCode < 200) return;
    this.#httpStatus = statusCode;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#receivedBytes <= this.#options.maxStoredBytes) this.#chunks.push(chunk);
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes <= Math.max(MAX_READ_BYTES, this.#options.maxStoredBytes)) return;
    this.#end('', true);
    this.#abort();
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
    const waitedFor = this.#controller === null ? 'a connection' : 'the response';
    this.#end(`timed out after ${timeoutMs} ms, waiting for ${waitedFor}`, true);
    this.#abort();
  };

  readonly #onAbort = (): void => {
    this.#end('cancelled by the service', true);
    this.#abort();
  };

  /** Aborts the request and thereby closes its connection. */
  #abort(): void {
    this.#controller?.abort(new Error('broken off'));
  }

  #end(error: string, brokeOff: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.#timer);
    const { maxStoredBytes, signal } = this.#options;
    signal?.removeEventListener('abort', this.#onAbort);
    const bytes = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.#chunks = [];
    const { text, isTruncated } = decodeTruncated(bytes, Math.min(maxStoredBytes, MAX_READ_BYTES));
    const bodyTruncated = this.#httpStatus !== null && (brokeOff || this.#receivedBytes > maxStoredBytes);
    this.#resolve({
      httpStatus: this.#httpStatus,
      headers: this.#headers,
      error: this.#httpStatus === null ? error : null,
      errorCode: this.#httpStatus === null ? this.#errorCode : null,
      wasSent: this.#controller !== null,
      durationMs: Math.round(performance.now() - this.#startedMs),
      body: bytes.subarray(0, maxStoredBytes),
      bodyTruncated,
      responseBody: text,
      responseTruncated: bodyTruncated || isTruncated,
    });
  }
}

const TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed before a response',
  EPIPE: 'the connection was closed before a response',
  UND_ERR_SOCKET: 'the connection was closed before a response',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ETIMEDOUT: 'no connection in time',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too large',
  UND_ERR_DESTROYED: 'cancelled by the service',
};

/** The error message for the user who chose the URL: without IP addresses, and with text from the server truncated. */
function errorText(error: Error): string {
  if (error instanceof LookupBlocked) return error.message;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const text = TEXTS[code];
  if (text !== undefined) return text;
  if (code.startsWith('HPE_')) return 'the response is not HTTP/1.1';
  if (code.startsWith('ERR_SSL_')) return `TLS: the handshake failed (${code})`;
  if (/^(?:CERT_|ERR_TLS_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/.test(code)) {
    return truncateUtf8(`TLS: ${error.message}`.replaceAll('\u0000', '\ufffd'), MAX_ERROR_BYTES);
  }
  return code === '' ? 'the request failed' : `the request failed (${code})`;
}
